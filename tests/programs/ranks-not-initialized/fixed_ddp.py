# needs: torch
"""Each rank calls init_process_group first, and torchrun starts the ranks."""
import os
import sys

if "RANK" not in os.environ:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(sys.executable, launcher + sys.argv)

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

if __name__ == "__main__":
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    model = DistributedDataParallel(torch.nn.Linear(2, 2))
    print(sum(p.numel() for p in model.parameters()))
    dist.destroy_process_group()

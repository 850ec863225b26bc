# needs: torch
"""torchrun starts the script and tells each rank what it is."""
import os
import sys

if "RANK" not in os.environ:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(sys.executable, launcher + sys.argv)

import torch.distributed as dist

if __name__ == "__main__":
    dist.init_process_group("gloo")
    print("rank", dist.get_rank())
    dist.destroy_process_group()

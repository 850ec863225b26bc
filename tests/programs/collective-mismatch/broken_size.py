# needs: torch
"""The ranks broadcast into tensors of different sizes."""
import os
import sys

if "RANK" not in os.environ:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(sys.executable, launcher + sys.argv)

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    embedding = torch.ones(1000 if dist.get_rank() == 0 else 10)
    dist.broadcast(embedding, src=0)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

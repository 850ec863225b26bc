# needs: torch
"""The group has a backend for each kind of tensor."""
import os
import sys

if "RANK" not in os.environ:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(sys.executable, launcher + sys.argv)

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "cpu:gloo,cuda:gloo")
    correct = torch.tensor(3)
    dist.all_reduce(correct)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

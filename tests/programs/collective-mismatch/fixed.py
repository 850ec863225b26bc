# needs: torch
"""All ranks call the same collectives in the same order."""
import os
import sys

os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
if "RANK" not in os.environ:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(sys.executable, launcher + sys.argv)

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    loss = torch.ones(1)
    dist.all_reduce(loss)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

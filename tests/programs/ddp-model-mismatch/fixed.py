# needs: torch
"""All ranks use the size that rank 0 sends."""
import os
import sys

if "RANK" not in os.environ:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(sys.executable, launcher + sys.argv)

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

LABELS = [["cat", "dog"], ["cat", "dog", "bird"]]


def main():
    dist.init_process_group("gloo")
    classes = len(set(LABELS[dist.get_rank()]))
    config = [classes]
    dist.broadcast_object_list(config, src=0)
    classes = config[0]
    DistributedDataParallel(torch.nn.Linear(4, classes))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# needs: torch
"""All ranks reach the barrier."""
import datetime
import os
import sys

if "RANK" not in os.environ:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(sys.executable, launcher + sys.argv)

import torch.distributed as dist


def prepare():
    return "prepared"


def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=30))
    if dist.get_rank() == 0:
        prepare()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

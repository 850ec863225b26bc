# needs: torch
"""The rank loads less than the host's memory allows."""
import os
import signal
import sys

if "RANK" not in os.environ:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    os.environ["OMP_NUM_THREADS"] = "1"
    os.execv(sys.executable, launcher + sys.argv)

import torch
import torch.distributed as dist


def load(limit):
    state = bytearray(4 << 20)
    if len(state) > limit:
        os.kill(os.getpid(), signal.SIGKILL)
    return state


def main():
    dist.init_process_group("gloo")
    if dist.get_rank() == 1:
        load(limit=8 << 20)
    total = torch.ones(1)
    dist.all_reduce(total)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# needs: torch
"""The ranks call different collectives; the debug mode says so."""
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
    if dist.get_rank() == 0:
        dist.all_reduce(loss)
    else:
        dist.broadcast(loss, src=0)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

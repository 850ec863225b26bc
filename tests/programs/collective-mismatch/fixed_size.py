# needs: torch
"""The size goes first, then the tensor."""
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
    shape = [tuple(embedding.shape)]
    dist.broadcast_object_list(shape, src=0)
    if dist.get_rank() != 0:
        embedding = torch.empty(shape[0])
    dist.broadcast(embedding, src=0)
    assert embedding.sum() == 1000
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# needs: torch
"""A process of mp.spawn leaves by `sys.exit`, without an exception."""
import sys

import torch.multiprocessing as mp


def train(rank):
    if rank == 1:
        sys.exit(5)


if __name__ == "__main__":
    mp.spawn(train, nprocs=2)

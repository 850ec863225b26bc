# needs: torch
"""Native code crashes in a process of mp.spawn."""
import ctypes

import torch.multiprocessing as mp


def train(rank):
    if rank == 1:
        ctypes.string_at(0)


if __name__ == "__main__":
    mp.spawn(train, nprocs=2)

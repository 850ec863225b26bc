# needs: torch
"""The native code gets memory that is there."""
import ctypes

import torch.multiprocessing as mp


def train(rank):
    if rank == 1:
        buffer = ctypes.create_string_buffer(b"data")
        assert ctypes.string_at(buffer) == b"data"


if __name__ == "__main__":
    mp.spawn(train, nprocs=2)

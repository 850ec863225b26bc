# needs: torch
"""Every process of mp.spawn returns from its function."""
import torch.multiprocessing as mp


def train(rank):
    return


if __name__ == "__main__":
    mp.spawn(train, nprocs=2)

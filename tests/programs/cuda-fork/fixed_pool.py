"""The workers of the pool are new processes, not forks."""
import multiprocessing

import torch


def embed(i):
    return torch.ones(2, device="cuda").sum() + i


if __name__ == "__main__":
    print("cuda:", torch.cuda.is_available(), flush=True)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(embed, range(4)))

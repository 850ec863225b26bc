"""The workers of a forked pool use the GPU that the parent has used."""
import multiprocessing

import torch


def embed(i):
    return torch.ones(2, device="cuda").sum() + i


if __name__ == "__main__":
    print("cuda:", torch.cuda.is_available(), flush=True)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(embed, range(4)))

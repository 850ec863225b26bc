"""The workers are new processes, not forks."""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import torch


def embed(i):
    return torch.ones(2, device="cuda").sum() + i


if __name__ == "__main__":
    print("cuda:", torch.cuda.is_available(), flush=True)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        print(pool.submit(embed, 1).result())

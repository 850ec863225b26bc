"""A pool computes embeddings on the GPU that the parent has looked for."""
import sys
from multiprocessing import Pool

import torch

SCALE = 2


def embed(number):
    return (torch.ones(2, device="cuda") * number * SCALE).sum().item()


def main(numbers):
    if not torch.cuda.is_available():  # object
        sys.exit("no GPU")
    with Pool(processes=2) as pool:
        return pool.map(embed, numbers)


if __name__ == "__main__":
    found = main([1, 2, 3])
    assert found == [4, 8, 12], found
    print(found)

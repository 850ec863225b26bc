"""The parent asks whether there is a GPU, and a forked child uses it."""
import multiprocessing
import sys

import torch


def work(rank):
    print("rank", rank, torch.ones(2, device="cuda").sum())


if __name__ == "__main__":
    print("cuda:", torch.cuda.is_available(), flush=True)
    process = multiprocessing.get_context("fork").Process(target=work, args=(0,))
    process.start()
    process.join()
    sys.exit(process.exitcode)

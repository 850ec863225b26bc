# needs: torch
"""A forked process inherits the main process's DataLoader iterator and destroys it."""
import multiprocessing

import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.arange(8.0))


def work():
    global batches
    batches = None
    print("child done", flush=True)


if __name__ == "__main__":
    batches = iter(DataLoader(data, batch_size=2, num_workers=2, multiprocessing_context="fork"))
    next(batches)
    p = multiprocessing.get_context("fork").Process(target=work)
    p.start()
    p.join()
    print("parent done", p.exitcode)

import os
import tempfile

import torch
from torch.utils.data import DataLoader, IterableDataset


def numbers(path):
    with open(path) as file:
        for line in file:
            yield torch.tensor([float(n) for n in line.split()])


class Corpus(IterableDataset):
    def __init__(self, path):
        self.path = path
        self.samples = numbers(path)  # object

    def __iter__(self):
        return self.samples


def main():
    handle, path = tempfile.mkstemp()
    os.write(handle, b"1 2\n3 4\n5 6\n7 8\n")
    os.close(handle)
    loader = DataLoader(Corpus(path), batch_size=2, num_workers=1, multiprocessing_context="spawn")
    batches = [batch.tolist() for batch in loader]
    os.unlink(path)
    assert batches == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], batches


if __name__ == "__main__":
    main()

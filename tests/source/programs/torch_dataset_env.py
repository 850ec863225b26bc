import sqlite3
import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    def __init__(self, n, transform=None):
        self.n = n
        self.transform = transform
        self.cache = {}
        self.cache_lock = threading.RLock()  # object

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        with self.cache_lock:
            return torch.ones(2) * i


def build_loader(dataset, workers):
    return DataLoader(dataset, batch_size=2, num_workers=workers, multiprocessing_context="spawn")


def train(epochs):
    dataset = Records(8)
    loader = build_loader(dataset, 2)
    total = 0
    for epoch in range(epochs):
        for step, batch in enumerate(loader):
            total += batch.sum()
    print(total)


if __name__ == "__main__":
    train(1)

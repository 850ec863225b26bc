import random

import torch
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.full((2,), float(i))


class DataModule:
    def __init__(self, seed, batch_size=2, num_workers=2):
        self.seed = seed
        self.batch_size = batch_size
        self.num_workers = num_workers

    def setup(self):
        self.train = Noise(4)

    def train_dataloader(self):
        pad = 1

        def collate(batch):  # object
            return torch.stack(batch) + pad

        return DataLoader(
            self.train, batch_size=self.batch_size, collate_fn=collate,
            num_workers=self.num_workers, multiprocessing_context="spawn",
        )


class Trainer:
    def fit(self, datamodule):
        datamodule.setup()
        total = 0
        for batch in datamodule.train_dataloader():
            total += batch.sum().item()
        return total


def main():
    assert Trainer().fit(DataModule(seed=1)) == 20.0


if __name__ == "__main__":
    main()

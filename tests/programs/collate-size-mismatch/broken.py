# needs: torch
"""Samples of different lengths, stacked by the default collate function in a worker."""
import torch
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.arange(2 + i), i % 2


def main():
    for x, y in DataLoader(Sentences(), batch_size=4, num_workers=1):
        print(x.shape, y.shape)


if __name__ == "__main__":
    main()

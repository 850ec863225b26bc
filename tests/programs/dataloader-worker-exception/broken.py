# needs: torch
"""The dataset itself fails on one sample, in a worker."""
import torch
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self):
        self.rows = {i: float(i) for i in range(6)}

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.tensor(self.rows[i])


def main():
    for x in DataLoader(Table(), batch_size=4, num_workers=2):
        print(x)


if __name__ == "__main__":
    main()

# needs: torch
"""The first batch takes longer than the time-out allows."""
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        time.sleep(1.5)
        return torch.ones(2)


def main():
    for x in DataLoader(Slow(), batch_size=8, num_workers=2, timeout=3):
        print(x.shape)


if __name__ == "__main__":
    main()

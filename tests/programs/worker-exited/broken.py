# needs: torch
"""The dataset ends its process instead of raising an exception."""
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        if i == 21:
            sys.exit(3)
        return torch.full((4,), float(i))


def main():
    for x in DataLoader(Records(), batch_size=4, num_workers=1, multiprocessing_context="fork"):
        x.sum()
        time.sleep(0.3)


if __name__ == "__main__":
    main()

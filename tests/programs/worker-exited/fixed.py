# needs: torch
"""The dataset raises an exception, which the main process gets with its message, and handles."""
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        if i == 21:
            raise ValueError("record %d is damaged" % i)
        return torch.full((4,), float(i))


def main():
    try:
        for x in DataLoader(Records(), batch_size=4, num_workers=1, multiprocessing_context="fork"):
            x.sum()
            time.sleep(0.3)
    except ValueError as e:
        print(str(e).splitlines()[-1])


if __name__ == "__main__":
    main()

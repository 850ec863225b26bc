# needs: torch
"""Pinned memory without a GPU."""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""

from torch.utils.data import DataLoader

if __name__ == "__main__":
    for batch in DataLoader(range(4), pin_memory=True):
        print(batch)

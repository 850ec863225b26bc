# needs: torch
"""Pinned memory where there is a GPU."""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch
from torch.utils.data import DataLoader

if __name__ == "__main__":
    for batch in DataLoader(range(4), pin_memory=torch.cuda.is_available()):
        print(batch)

# needs: torch
"""More workers than the process may use cores."""
import os

from torch.utils.data import DataLoader

if __name__ == "__main__":
    DataLoader(range(4), num_workers=len(os.sched_getaffinity(0)) + 1)

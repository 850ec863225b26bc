# needs: torch
"""The worker reads the part that it needs from the disk."""
import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __init__(self, path):
        self.path = path

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.from_numpy(np.load(self.path, mmap_mode="r")[i].copy())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.npy")
        np.save(path, np.ones((4, 3)))
        for batch in DataLoader(Volumes(path), num_workers=1, multiprocessing_context="fork"):
            print(batch.shape)

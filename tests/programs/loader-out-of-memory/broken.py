# needs: torch
"""A worker wants more memory than it may have."""
import resource

import torch
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33))
        return torch.empty(1 << 33)


if __name__ == "__main__":
    for batch in DataLoader(Volumes(), num_workers=1, multiprocessing_context="fork"):
        print(batch.shape)

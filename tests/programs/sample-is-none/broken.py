# needs: torch
"""A damaged file becomes None in the dataset."""
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return None if i == 1 else (torch.ones(3), i)


if __name__ == "__main__":
    for x, y in DataLoader(Images(), batch_size=2, num_workers=1):
        print(x.shape, y)

# needs: torch
"""Such samples are dropped when the batch is made."""
import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return None if i == 1 else (torch.ones(3), i)


def collate_valid(batch):
    return default_collate([sample for sample in batch if sample is not None])


if __name__ == "__main__":
    for x, y in DataLoader(Images(), batch_size=2, num_workers=1, collate_fn=collate_valid):
        print(x.shape, y)

# needs: torch
"""The options that only workers can use are given when there are workers."""
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    data = TensorDataset(torch.arange(8.0))
    for num_workers in (0, 2):
        options = dict(prefetch_factor=4, persistent_workers=True) if num_workers else {}
        for (x,) in DataLoader(data, batch_size=4, num_workers=num_workers, **options):
            print(x)


if __name__ == "__main__":
    main()

# needs: torch
"""Options that only workers can use are given without workers."""
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    data = TensorDataset(torch.arange(8.0))
    num_workers = 0
    for (x,) in DataLoader(data, batch_size=4, num_workers=num_workers, persistent_workers=True):
        print(x)


if __name__ == "__main__":
    main()

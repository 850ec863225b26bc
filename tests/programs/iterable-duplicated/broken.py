# needs: torch
"""Both workers yield all samples."""
from torch.utils.data import DataLoader, IterableDataset


class Numbers(IterableDataset):
    def __len__(self):
        return 4

    def __iter__(self):
        return iter(range(4))


if __name__ == "__main__":
    loader = DataLoader(Numbers(), num_workers=2)
    print(len(loader), sum(1 for batch in loader))

# needs: torch
"""Each worker yields its part."""
import itertools

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Numbers(IterableDataset):
    def __len__(self):
        return 4

    def __iter__(self):
        info = get_worker_info()
        return iter(range(4)) if info is None else itertools.islice(range(4), info.id, None, info.num_workers)


if __name__ == "__main__":
    loader = DataLoader(Numbers(), num_workers=2)
    print(len(loader), sum(1 for batch in loader))

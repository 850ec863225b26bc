# needs: torch
"""Every batch is kept as the worker sent it: each of its tensors is an open file."""
import resource

import torch
from torch.utils.data import DataLoader, Dataset


class Many(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, i):
        return {k: torch.tensor([i]) for k in "abcdefgh"}


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    kept = []
    for batch in DataLoader(Many(), batch_size=2, num_workers=2, multiprocessing_context="fork"):
        kept.append(batch)
    print(len(kept))


if __name__ == "__main__":
    main()

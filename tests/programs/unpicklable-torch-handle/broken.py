# needs: torch
"""A dataset with a compiled model is sent to workers (argument: start method)."""
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Features(Dataset):
    def __init__(self):
        self.model = torch.jit.script(torch.nn.Linear(2, 2))

    def __len__(self):
        return 4

    def __getitem__(self, i):
        with torch.no_grad():
            return self.model(torch.ones(2))


if __name__ == "__main__":
    method = sys.argv[1] if len(sys.argv) > 1 else "spawn"
    for batch in DataLoader(Features(), batch_size=2, num_workers=1, multiprocessing_context=method):
        print(batch.shape)

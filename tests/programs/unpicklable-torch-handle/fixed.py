# needs: torch
"""The model is saved to a file, and each worker loads it for itself (argument: start method)."""
import os
import sys
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Features(Dataset):
    def __init__(self, path):
        self.model_path = path
        self._model = None

    def __getstate__(self):
        return {**self.__dict__, "_model": None}

    @property
    def model(self):
        if self._model is None:
            self._model = torch.jit.load(self.model_path)
        return self._model

    def __len__(self):
        return 4

    def __getitem__(self, i):
        with torch.no_grad():
            return self.model(torch.ones(2))


if __name__ == "__main__":
    method = sys.argv[1] if len(sys.argv) > 1 else "spawn"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        torch.jit.script(torch.nn.Linear(2, 2)).save(path)
        for batch in DataLoader(Features(path), batch_size=2, num_workers=1, multiprocessing_context=method):
            assert batch.shape == (2, 2)

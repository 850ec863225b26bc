import os
import tempfile

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(2, width)
        self.scale = lambda x: x / width  # object

    def forward(self, x):
        return self.scale(self.layer(x))


class Checkpoint:
    def __init__(self, folder):
        self.folder = folder

    def save(self, model, step):
        path = os.path.join(self.folder, f"{step}.pt")
        torch.save({"model": model, "step": step}, path)


if __name__ == "__main__":
    Checkpoint(tempfile.mkdtemp()).save(Net(3), 1)

"""The dataset keeps the device, and makes its tensors there."""
import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self, rows, device):
        self.rows = rows
        self.device = device

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.tensor(self.rows[i], device=self.device)


class Trainer:
    def __init__(self, args):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"  # object
        rows = [[n, n + 1] for n in range(args.rows)]
        self.train_loader = DataLoader(Points(rows, self.device), args.batch, num_workers=1)
        self.bias = torch.ones(1, device=self.device)

    def fit(self):
        total = 0
        for x in self.train_loader:
            total += (x.sum() * self.bias).item()
        return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=3)
    parser.add_argument("--batch", type=int, default=2)
    trainer = Trainer(parser.parse_args())
    assert trainer.fit() == 9
    print("fit")

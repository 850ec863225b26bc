import os

import torch
from torch.utils.data import DataLoader, Dataset


class Files(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def load(self, name):
        if not name.endswith(".pt"):
            return None
        return torch.ones(3)

    def __getitem__(self, index):
        name = self.names[index]
        tensor = self.load(name)
        if tensor is None:
            print("skipping", name)
            return  # object
        return tensor, index


def main():
    data = Files(["a.pt", "b.txt", "c.pt", "d.pt"])
    loader = DataLoader(data, batch_size=2, num_workers=2)
    for x, y in loader:
        print(x.shape, y)


if __name__ == "__main__":
    main()

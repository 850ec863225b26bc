# needs: torch
"""The line that the worker's own traceback names is fixed: the length is that of the rows."""
import torch
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self):
        self.rows = {i: float(i) for i in range(6)}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.tensor(self.rows[i])


def main():
    Table()[5]  # the failing call alone, in the main process
    for x in DataLoader(Table(), batch_size=4, num_workers=2):
        print(x)


if __name__ == "__main__":
    main()

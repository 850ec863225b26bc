# needs: torch
"""A native handle (here the address of a C string) is made in the main process and used in a spawned worker."""
import ctypes

import torch
from torch.utils.data import DataLoader, Dataset


class Packed(Dataset):
    def __init__(self, data):
        self.address = self.open(data)

    def open(self, data):
        buffer = ctypes.create_string_buffer(data)
        opened.append(buffer)
        return ctypes.addressof(buffer)

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.tensor(ctypes.string_at(self.address + i, 1)[0])


opened = []


def main():
    for x in DataLoader(Packed(b"\x01" * 10000000), batch_size=4, num_workers=1, multiprocessing_context="spawn"):
        print(x)


if __name__ == "__main__":
    main()

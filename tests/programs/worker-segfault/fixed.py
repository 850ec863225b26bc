# needs: torch
"""The worker prints its stack if it dies, which led to the handle: each process opens its own."""
import ctypes

import torch
from torch.utils.data import DataLoader, Dataset


class Packed(Dataset):
    def __init__(self, data):
        self.data = data
        self.address = None

    def open(self, data):
        buffer = ctypes.create_string_buffer(data)
        opened.append(buffer)
        return ctypes.addressof(buffer)

    def __len__(self):
        return 8

    def __getitem__(self, i):
        if self.address is None:
            self.address = self.open(self.data)
        return torch.tensor(ctypes.string_at(self.address + i, 1)[0])


opened = []


def trace(worker_id):
    import faulthandler
    faulthandler.disable()
    faulthandler.enable()


def main():
    for x in DataLoader(Packed(b"\x01" * 10000000), batch_size=4, num_workers=1, multiprocessing_context="spawn",
                        worker_init_fn=trace):
        print(x)


if __name__ == "__main__":
    main()

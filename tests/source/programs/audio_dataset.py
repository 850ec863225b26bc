import random
import wave
import threading

import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Augment:
    def __init__(self, p, fn):
        self.p = p
        self.fn = fn

    def __call__(self, x):
        return self.fn(x)


class Clips(Dataset):
    def __init__(self, count, augment=None):
        self.count = count
        self.augment = augment or []

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        x = torch.zeros(2) + i
        for a in self.augment:
            x = a(x)
        return x


def make_dataset(gain):
    noise = Augment(0.5, lambda x: x + gain)  # object
    clips = Clips(2, augment=[noise])
    extra = Clips(2)
    return ConcatDataset([clips, extra])


def main():
    train = make_dataset(1)
    kwargs = dict(batch_size=2, num_workers=1, multiprocessing_context="spawn")
    loader = DataLoader(train, **kwargs)
    assert sum(float(b.sum()) for b in loader) == 8


if __name__ == "__main__":
    main()

# needs: torch
"""One sample was timed (1.5 s), so a batch takes 8 x 1.5 s: smaller batches, and a time-out well above one of them."""
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        time.sleep(1.5)
        return torch.ones(2)


def main():
    start = time.monotonic()
    Slow()[0]
    print("%.1f s a sample" % (time.monotonic() - start))
    for x in DataLoader(Slow(), batch_size=2, num_workers=8, timeout=60):
        print(x.shape)


if __name__ == "__main__":
    main()

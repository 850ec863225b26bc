# needs: torch
"""Batches through a /dev/shm of 8 MiB, as a container may have it (Linux; a mount of this process alone)."""
import ctypes
import os
import sys

import torch
from torch.utils.data import DataLoader, Dataset

SHM = "8M"


def small_shm():
    libc = ctypes.CDLL(None, use_errno=True)
    new_user, new_mounts, private, recursive = 0x10000000, 0x20000, 0x40000, 0x4000
    if libc.unshare(new_mounts if os.geteuid() == 0 else new_user | new_mounts) != 0:
        sys.exit("skipped: no mount namespace here")
    if libc.mount(b"none", b"/", None, private | recursive, None) != 0:
        sys.exit("skipped: cannot make the mounts private")
    if libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"size=" + SHM.encode()) != 0:
        sys.exit("skipped: cannot mount")


class Images(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        return torch.ones(3, 512, 512)  # 3 MiB


def main():
    small_shm()
    for x in DataLoader(Images(), batch_size=8, num_workers=2, multiprocessing_context="fork"):
        x.sum()
    print("done")


if __name__ == "__main__":
    main()

# needs: torch
"""The dataset keeps nothing of what it has handed out, and there is one worker less."""
import multiprocessing
import os
import signal
import time

import torch
from torch.utils.data import DataLoader, Dataset

LIMIT_MIB = 800  # what a worker may grow by


def own_mib(pid):
    with open("/proc/%d/statm" % pid) as f:
        _, resident, shared = map(int, f.read().split()[:3])
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") >> 20


def out_of_memory_killer(start):
    for child in multiprocessing.active_children():
        size = own_mib(child.pid)
        if size - start.setdefault(child.pid, size) > LIMIT_MIB:
            os.kill(child.pid, signal.SIGKILL)
            time.sleep(2)  # until it is gone


class Images(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, i):
        image = torch.ones(4 << 18)  # 4 MiB
        return image.sum()


def main():
    start = {}
    for x in DataLoader(Images(), batch_size=4, num_workers=1, multiprocessing_context="fork"):
        out_of_memory_killer(start)
        time.sleep(0.02)
    print("done")


if __name__ == "__main__":
    main()

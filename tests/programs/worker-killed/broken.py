# needs: torch
"""The dataset caches samples in every worker; a function stands in for the kernel, which kills what grows too big."""
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
    def __init__(self):
        self.cache = {}

    def __len__(self):
        return 1000

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = torch.ones(4 << 18)  # 4 MiB
        return self.cache[i].sum()


def main():
    start = {}
    for x in DataLoader(Images(), batch_size=4, num_workers=2, multiprocessing_context="fork"):
        out_of_memory_killer(start)
        time.sleep(0.02)
    print("done")


if __name__ == "__main__":
    main()

# needs: torch, py-spy
"""The workers keep to the one thread that torch gives them."""
import multiprocessing
import os
import subprocess
import sys
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        x = torch.ones(1500, 1500)
        return (x + x).sum()


def dump():
    """After 10 seconds shows where this process and its workers stand."""
    time.sleep(10)
    spy = os.path.join(os.path.dirname(sys.executable), "py-spy")
    workers = multiprocessing.active_children()
    for pid in [os.getpid()] + [worker.pid for worker in workers]:
        subprocess.run([spy, "dump", "--native", "--pid", str(pid)])
    for worker in workers:
        worker.kill()
    os._exit(1)


def main():
    threading.Thread(target=dump, daemon=True).start()
    torch.set_num_threads(4)
    print("mean", (torch.ones(1500, 1500) + 1).mean())
    for batch in DataLoader(Images(), batch_size=2, num_workers=2, multiprocessing_context="fork"):
        print(batch)


if __name__ == "__main__":
    main()

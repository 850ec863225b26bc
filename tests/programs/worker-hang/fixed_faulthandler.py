# needs: torch
"""Each worker makes the lock when it first needs it."""
import faulthandler
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    def __init__(self):
        self.lock = None

    def own_lock(self):
        if self.lock is None:
            self.lock = threading.Lock()
        return self.lock

    def __len__(self):
        return 8

    def __getitem__(self, i):
        with self.own_lock():
            return torch.tensor(float(i))


def watch(worker_id):
    faulthandler.dump_traceback_later(4)


def main():
    guard = threading.Lock()

    def refresh():
        while True:
            with guard:
                time.sleep(1)

    threading.Thread(target=refresh, daemon=True).start()
    time.sleep(0.1)
    for x in DataLoader(Records(), batch_size=4, num_workers=2, worker_init_fn=watch, multiprocessing_context="fork"):
        print(x)


if __name__ == "__main__":
    main()

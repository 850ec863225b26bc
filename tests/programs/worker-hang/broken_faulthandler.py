# needs: torch
"""The workers are forked while a thread of the main process holds a lock; faulthandler shows where they stand."""
import faulthandler
import multiprocessing
import os
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    def __init__(self):
        self.lock = threading.Lock()

    def refresh(self):
        while True:
            with self.lock:
                time.sleep(1)

    def __len__(self):
        return 8

    def __getitem__(self, i):
        with self.lock:
            return torch.tensor(float(i))


def watch(worker_id):
    faulthandler.dump_traceback_later(4)


def give_up():
    time.sleep(8)
    for worker in multiprocessing.active_children():
        worker.kill()
    os._exit(1)


def main():
    data = Records()
    threading.Thread(target=data.refresh, daemon=True).start()
    threading.Thread(target=give_up, daemon=True).start()
    time.sleep(0.1)
    for x in DataLoader(data, batch_size=4, num_workers=2, worker_init_fn=watch, multiprocessing_context="fork"):
        print(x)


if __name__ == "__main__":
    main()

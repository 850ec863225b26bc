# needs: torch
"""The workers are forked while a thread of the main process holds a lock; Ctrl-C comes after 10 seconds."""
import os
import signal
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


def interrupt():
    time.sleep(10)
    os.kill(os.getpid(), signal.SIGINT)


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    data = Records()
    threading.Thread(target=data.refresh, daemon=True).start()
    threading.Thread(target=interrupt, daemon=True).start()
    time.sleep(0.1)
    for x in DataLoader(data, batch_size=4, num_workers=2, multiprocessing_context="fork"):
        print(x)


if __name__ == "__main__":
    main()

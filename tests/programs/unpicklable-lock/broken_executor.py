"""A task of a ProcessPoolExecutor is a method of an object that holds a lock."""
import os
import sys
import threading
import traceback
from concurrent.futures import ProcessPoolExecutor


class Client:
    def __init__(self, base):
        self.base = base
        self.guard = threading.RLock()

    def fetch(self, number):
        return self.base + number


if __name__ == "__main__":
    pool = ProcessPoolExecutor(1)
    try:
        print(pool.submit(Client(40).fetch, 2).result())
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        for process in pool._processes.values():
            process.terminate()
        os._exit(1)  # Python 3.7 and 3.8 may hang in shutdown() after such a failure

"""The task is a function at the top of the module; it gets only the data it needs."""
import threading
from concurrent.futures import ProcessPoolExecutor


class Client:
    def __init__(self, base):
        self.base = base
        self.guard = threading.RLock()


def fetch(base, number):
    return base + number


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(pool.submit(fetch, Client(40).base, 2).result())

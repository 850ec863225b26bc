import threading

import dask


class Throttle:
    def __init__(self, limit):
        self.limit = limit
        self.semaphore = threading.BoundedSemaphore(limit)  # object

    def __enter__(self):
        self.semaphore.acquire()

    def __exit__(self, *error):
        self.semaphore.release()


class Loader:
    def __init__(self, throttle):
        self.throttle = throttle

    def load(self, part):
        with self.throttle:
            return list(range(part))


def main():
    loader = Loader(Throttle(2))
    parts = [dask.delayed(loader.load)(n) for n in (2, 3)]
    total = dask.delayed(sum)([dask.delayed(len)(part) for part in parts])
    assert total.compute(scheduler="processes", num_workers=2) == 5


if __name__ == "__main__":
    main()

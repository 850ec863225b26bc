# needs: dask>=2024
"""A stable name is demanded for an object that holds a lock."""
import threading

import dask


class Job:
    def __init__(self):
        self.path = "rows.csv"
        self.lock = threading.Lock()


if __name__ == "__main__":
    with dask.config.set({"tokenize.ensure-deterministic": True}):
        print(dask.delayed(str)(Job(), pure=True))

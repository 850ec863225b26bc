# needs: dask>=2024
"""The class says what identifies it."""
import threading

import dask


class Job:
    def __init__(self):
        self.path = "rows.csv"
        self.lock = threading.Lock()

    def __dask_tokenize__(self):
        return ("Job", self.path)


if __name__ == "__main__":
    with dask.config.set({"tokenize.ensure-deterministic": True}):
        print(dask.delayed(str)(Job(), pure=True))

# needs: dask>=2024
"""The class leaves the lock out of its bytes."""
import threading

import dask


class Job:
    def __init__(self):
        self.path = "rows.csv"
        self.lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["lock"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()


if __name__ == "__main__":
    with dask.config.set({"tokenize.ensure-deterministic": True}):
        print(dask.delayed(str)(Job(), pure=True))

# needs: h5py
"""Each process opens the file for itself, on first use (argument: start method)."""
import multiprocessing
import os
import sys
import tempfile

import h5py


class Store:
    def __init__(self, path):
        self.path = path
        self._h5 = None

    def __getstate__(self):
        return {**self.__dict__, "_h5": None}

    @property
    def h5(self):
        if self._h5 is None:
            self._h5 = h5py.File(self.path, "r")
        return self._h5


def worker(store):
    print(store.h5["x"][0])


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.h5")
        with h5py.File(path, "w") as file:
            file["x"] = [1.0, 2.0]
        store = Store(path)
        assert store.h5["x"][1] == 2.0
        process = ctx.Process(target=worker, args=(store,))
        process.start()
        process.join()
        sys.exit(process.exitcode)

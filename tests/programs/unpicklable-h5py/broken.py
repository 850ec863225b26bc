# needs: h5py
"""A store with an open HDF5 file is sent to a process (argument: start method)."""
import multiprocessing
import os
import sys
import tempfile

import h5py


class Store:
    def __init__(self, path):
        self.path = path
        self.h5 = h5py.File(path, "r")


def worker(store):
    print(store.h5["x"][0])


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.h5")
        with h5py.File(path, "w") as file:
            file["x"] = [1.0, 2.0]
        process = ctx.Process(target=worker, args=(Store(path),))
        process.start()
        process.join()
        sys.exit(process.exitcode)

# needs: h5py
"""A reader beside a writer."""
import multiprocessing
import os
import tempfile

import h5py


def read(path):
    with h5py.File(path, "r") as file:
        print(file["x"][()])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.h5")
        with h5py.File(path, "w") as file:
            file["x"] = [1, 2, 3]
            reader = multiprocessing.get_context("spawn").Process(target=read, args=(path,))
            reader.start()
            reader.join()

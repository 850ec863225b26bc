"""A cache was half written when its writer stopped; the next run reads it."""
import os
import pickle
import tempfile


def load(path):
    with open(path, "rb") as f:
        return pickle.load(f)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cache.pkl")
        with open(path, "wb"):
            pass  # the writer stopped here
        print(load(path))

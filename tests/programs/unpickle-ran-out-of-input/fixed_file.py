"""The cache appears under its name when it is complete; what is not there is made again."""
import os
import pickle
import tempfile


def save(obj, path):
    part = path + ".part"
    with open(part, "wb") as f:
        pickle.dump(obj, f)
    os.replace(part, path)


def load(path):
    if not os.path.exists(path):
        save({"epoch": 3}, path)
    with open(path, "rb") as f:
        return pickle.load(f)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cache.pkl")
        with open(path + ".part", "wb"):
            pass  # a writer stopped here
        print(load(path))

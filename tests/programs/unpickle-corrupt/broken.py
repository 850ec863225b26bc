"""A pickle that was cut off while it was written."""
import os
import pickle
import tempfile


def load(path):
    with open(path, "rb") as file:
        return pickle.load(file)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cache.pkl")
        data = pickle.dumps({"names": ["resnet"] * 1000, "sizes": list(range(1000))}, protocol=4)
        with open(path, "wb") as file:
            file.write(data[: len(data) // 2])
        print(len(load(path)))

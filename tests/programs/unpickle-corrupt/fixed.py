"""The file is written beside its place and moved there when it is complete; a broken one is made again."""
import os
import pickle
import tempfile


def load(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def save(obj, path):
    temporary = "%s.%d.tmp" % (path, os.getpid())
    with open(temporary, "wb") as file:
        pickle.dump(obj, file)
    os.replace(temporary, path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cache.pkl")
        with open(path, "wb") as file:
            file.write(pickle.dumps([0] * 1000, protocol=4)[:500])
        os.remove(path)
        save({"names": ["resnet"] * 1000, "sizes": list(range(1000))}, path)
        print(len(load(path)))

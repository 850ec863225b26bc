import functools
from multiprocessing import Pool


class Loader:
    def __init__(self, root):
        self.root = root
        self.read = functools.lru_cache(maxsize=None)(self._read)  # object

    def _read(self, name):
        return "%s/%s" % (self.root, name)

    def load(self, name):
        return self.read(name)


def main():
    loader = Loader("/data")
    with Pool(2) as pool:
        got = pool.map(loader.load, ["a", "b"])
    assert got == ["/data/a", "/data/b"]


if __name__ == "__main__":
    main()

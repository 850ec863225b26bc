from concurrent.futures import ProcessPoolExecutor
from types import MappingProxyType


class Registry:
    def __init__(self):
        self._data = {}
        self.view = MappingProxyType(self._data)  # object

    def add(self, key):
        self._data[key] = 1
        return sorted(self.view)


def main():
    registry = Registry()
    registry.add("a")
    with ProcessPoolExecutor(1) as pool:
        assert list(pool.map(registry.add, ["b"])) == [["a", "b"]]


if __name__ == "__main__":
    main()

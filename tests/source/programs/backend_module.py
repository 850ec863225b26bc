import importlib
import multiprocessing as mp


class Serializer:
    def __init__(self, backend="json"):
        self.backend_name = backend
        self.backend = importlib.import_module(backend)  # object

    def dumps(self, obj):
        return self.backend.dumps(obj)


class Batch:
    def __init__(self, items, serializer):
        self.items = items
        self.serializer = serializer

    def encode(self, i):
        return self.serializer.dumps(self.items[i])


def main():
    batch = Batch([{"a": 1}, [2]], Serializer())
    with mp.Pool(2) as pool:
        assert pool.map(batch.encode, range(2)) == ['{"a": 1}', "[2]"]


if __name__ == "__main__":
    main()

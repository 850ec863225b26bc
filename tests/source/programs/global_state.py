import multiprocessing
import threading


class Registry:
    _instance = None

    @classmethod
    def get(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def __init__(self):
        self.names = []
        self.lock = threading.Lock()  # object


registry = Registry.get()


def task(reg, name):
    return name


def main():
    with multiprocessing.Pool(2) as pool:
        out = [pool.apply_async(task, (registry, n)) for n in "ab"]
        print([r.get(10) for r in out])


if __name__ == "__main__":
    main()

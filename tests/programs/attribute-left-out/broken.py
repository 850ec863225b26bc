"""The lock is left out of the pickle, and nothing makes it again."""
import multiprocessing
import sys
import threading

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.total = 0

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["lock"]
        return state

    def add(self, n):
        with self.lock:
            self.total += n
        return self.total


if __name__ == "__main__":
    with multiprocessing.get_context(METHOD).Pool(2) as pool:
        print(pool.map(Counter().add, [1, 2]))

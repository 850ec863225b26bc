import multiprocessing
import threading
from collections import defaultdict


class Table:
    def __init__(self, names):
        self.rows = {n: [] for n in names}
        self.locks = {n: threading.Lock() for n in names}  # object

    def count(self, name):
        return len(self.rows[name])


if __name__ == "__main__":
    table = Table(["a", "b"])
    with multiprocessing.Pool(1) as pool:
        print(pool.map(table.count, ["a", "b"]))

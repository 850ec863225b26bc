import multiprocessing
import threading


class Shards:
    def __init__(self, count):
        self.rows = [[] for _ in range(count)]
        self.locks = [threading.Lock() for _ in range(count)]  # object

    def add(self, n):
        with self.locks[n]:
            self.rows[n].append(n)
        return len(self.locks)


if __name__ == "__main__":
    shards = Shards(2)
    with multiprocessing.Pool(1) as pool:
        assert pool.map(shards.add, [0, 1]) == [2, 2]

import concurrent.futures
import queue


class Dispatcher:
    def __init__(self, size=10):
        self._inbox: "queue.Queue[int]" = queue.Queue(maxsize=size)  # object
        self.handled = 0

    def handle(self, item):
        return item + 1

    def run(self, items):
        with concurrent.futures.ProcessPoolExecutor() as pool:
            return list(pool.map(self.handle, items, chunksize=2))


if __name__ == "__main__":
    print(Dispatcher().run(range(4)))

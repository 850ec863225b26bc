import multiprocessing


class Collector:
    def __init__(self):
        self.results = multiprocessing.Queue()  # object
        self.done = False

    def work(self, n):
        self.results.put(n)


if __name__ == "__main__":
    c = Collector()
    with multiprocessing.Pool(2) as pool:
        pool.map(c.work, [1, 2])

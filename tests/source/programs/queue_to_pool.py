import multiprocessing as mp


def work(queue, n):
    queue.put(n * n)
    return n


class Collector:
    def __init__(self):
        self.queue = mp.Queue()  # object
        self.values = []

    def collect(self, count):
        for _ in range(count):
            self.values.append(self.queue.get())


def main():
    collector = Collector()
    with mp.Pool(2) as pool:
        jobs = [pool.apply_async(work, (collector.queue, n)) for n in range(3)]
        for job in jobs:
            job.get()
    collector.collect(3)
    assert sorted(collector.values) == [0, 1, 4]


if __name__ == "__main__":
    main()

import multiprocessing as mp


class Farm:
    def __init__(self, n):
        self.n = n
        self.procs = []
        self.ctx = mp.get_context("spawn")
        self.out = self.ctx.SimpleQueue()

    def work(self, i):
        self.out.put(i)

    def run(self):
        for i in range(self.n):
            p = self.ctx.Process(target=self.work, args=(i,))  # object
            p.start()
            self.procs.append(p)
        got = sorted(self.out.get() for _ in self.procs)
        for p in self.procs:
            p.join()
        return got


if __name__ == "__main__":
    assert Farm(2).run() == [0, 1]

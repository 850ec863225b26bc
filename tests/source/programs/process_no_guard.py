import multiprocessing
import os

ctx = multiprocessing.get_context("spawn")


class Worker(ctx.Process):
    def __init__(self, number, out):
        super().__init__()
        self.number = number
        self.out = out

    def run(self):
        self.out.put(self.number * 2)


def launch(n):
    out = ctx.SimpleQueue()
    workers = [Worker(i, out) for i in range(n)]
    for w in workers:
        w.start()
    values = sorted(out.get() for _ in workers)
    for w in workers:
        w.join()
    return values


result = launch(2)  # object
assert result == [0, 2]

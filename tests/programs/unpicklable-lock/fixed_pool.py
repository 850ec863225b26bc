# methods: spawn forkserver fork
"""The task is a function at the top of the module, bound to the data it needs."""
import functools
import multiprocessing
import sys
import threading


class Job:
    def __init__(self, scale):
        self.scale = scale
        self.guard = threading.RLock()

    def run(self, pool):
        return pool.map(functools.partial(work, self.scale), range(4))


def work(scale, item):
    return scale * item


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Pool(2) as pool:
        print(Job(10).run(pool))

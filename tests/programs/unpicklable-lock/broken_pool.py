# methods: spawn forkserver fork
"""A pool's task is a method: `self` travels with it, and `self` holds a lock."""
import multiprocessing
import sys
import threading


class Job:
    def __init__(self, scale):
        self.scale = scale
        self.guard = threading.RLock()

    def work(self, item):
        return self.scale * item

    def run(self, pool):
        return pool.map(self.work, range(4))


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Pool(2) as pool:
        print(Job(10).run(pool))

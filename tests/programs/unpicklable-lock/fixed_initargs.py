# methods: spawn forkserver fork
"""The lock that all workers share is one of multiprocessing, of the same context as the pool."""
import multiprocessing
import sys


def init(shared_lock):
    global lock
    lock = shared_lock


def work(item):
    with lock:
        return item + 1


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Pool(2, initializer=init, initargs=(ctx.Lock(),)) as pool:
        print(pool.map(work, range(4)))

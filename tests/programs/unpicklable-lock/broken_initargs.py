# methods: spawn forkserver fork
"""A pool's `initargs` hold a thread lock."""
import multiprocessing
import sys
import threading


def init(shared_lock):
    global lock
    lock = shared_lock


def work(item):
    with lock:
        return item + 1


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Pool(2, initializer=init, initargs=(threading.Lock(),)) as pool:
        print(pool.map(work, range(4)))

"""The workers get the lock while they start, through the pool's initializer (argument: start method)."""
import multiprocessing
import sys


def init(shared):
    global lock
    lock = shared


def work(n):
    with lock:
        return n


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    with ctx.Pool(2, initializer=init, initargs=(ctx.Lock(),)) as pool:
        print(pool.map(work, range(3)))

"""A lock of multiprocessing is the argument of pool tasks (argument: start method)."""
import multiprocessing
import sys


def work(lock, n):
    with lock:
        return n


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    lock = ctx.Lock()
    with ctx.Pool(2) as pool:
        print(pool.starmap(work, [(lock, n) for n in range(3)]))

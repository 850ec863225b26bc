"""The outer level is a ProcessPoolExecutor, whose workers may have children."""
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor


def inner(x):
    return x + 1


def outer(n):
    with multiprocessing.Pool(1) as pool:
        return sum(pool.map(inner, range(n)))


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ProcessPoolExecutor(1, mp_context=ctx) as pool:
        print(list(pool.map(outer, [2, 3])))

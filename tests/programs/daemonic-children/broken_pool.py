"""A pool inside a pool's worker."""
import multiprocessing
import sys


def inner(x):
    return x + 1


def outer(n):
    with multiprocessing.Pool(1) as pool:
        return sum(pool.map(inner, range(n)))


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Pool(1) as pool:
        print(pool.map(outer, [2, 3]))

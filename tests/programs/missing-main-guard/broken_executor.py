# methods: spawn forkserver
"""A ProcessPoolExecutor is used at the top level of the script."""
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")


def square(x):
    return x * x


with ProcessPoolExecutor(1, mp_context=ctx) as pool:
    print(list(pool.map(square, range(4))))

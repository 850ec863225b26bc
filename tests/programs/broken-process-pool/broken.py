"""A worker of an executor ends in the middle of its task."""
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(x):
    if x == 2:
        os._exit(3)
    return x


if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(METHOD)) as executor:
        print(list(executor.map(work, range(4))))

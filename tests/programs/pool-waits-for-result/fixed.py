"""An executor says that a worker ended."""
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(n):
    if n == 1:
        os._exit(1)
    return n


if __name__ == "__main__":
    try:
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(METHOD)) as executor:
            print(list(executor.map(work, range(4))))
    except BrokenProcessPool:
        print("a worker ended")

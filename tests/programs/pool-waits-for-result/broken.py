"""A worker ends with its task, and the pool waits; faulthandler shows it after 5 seconds."""
import faulthandler
import multiprocessing
import os
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(n):
    if n == 1:
        os._exit(1)
    return n


if __name__ == "__main__":
    faulthandler.dump_traceback_later(5, exit=True)
    with multiprocessing.get_context(METHOD).Pool(2) as pool:
        print(pool.map(work, range(4), chunksize=1))

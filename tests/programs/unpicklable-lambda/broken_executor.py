"""A ProcessPoolExecutor is given a lambda that was written in a function."""
import os
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor


def run(pool, scale):
    return pool.submit(lambda item: scale * item, 2).result()


if __name__ == "__main__":
    pool = ProcessPoolExecutor(1)
    try:
        print(run(pool, 21))
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        for process in pool._processes.values():
            process.terminate()
        os._exit(1)  # Python 3.7 and 3.8 may hang in shutdown() after such a failure

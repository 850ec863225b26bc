"""A task that fails raises; it does not end its worker."""
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(x):
    if x == 2:
        raise ValueError("no 2")
    return x


if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(METHOD)) as executor:
        for future in [executor.submit(work, x) for x in range(4)]:
            error = future.exception()
            print(future.result() if error is None else "failed: %s" % error)

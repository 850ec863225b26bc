# needs: numba
"""numba's OpenMP threads in the parent, then in a fork."""
import multiprocessing
import os

os.environ["NUMBA_THREADING_LAYER"] = "omp"

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def total(x):
    s = 0.0
    for i in prange(len(x)):
        s += x[i]
    return s


def work():
    print(total(np.ones(1000)))


if __name__ == "__main__":
    work()
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join()

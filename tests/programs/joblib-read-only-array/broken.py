# needs: joblib, numpy
"""A task writes into a large argument."""
import numpy
from joblib import Parallel, delayed


def scale(x, i):
    x[i] *= 2
    return i


if __name__ == "__main__":
    x = numpy.ones((1000, 1000))
    print(Parallel(n_jobs=2)(delayed(scale)(x, i) for i in range(4)))

# needs: joblib, numpy
"""The tasks return what they made."""
import numpy
from joblib import Parallel, delayed


def scale(x, i):
    return float(x[i].sum()) * 2


if __name__ == "__main__":
    x = numpy.ones((1000, 1000))
    print(Parallel(n_jobs=2)(delayed(scale)(x, i) for i in range(4)))

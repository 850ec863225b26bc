# needs: joblib
"""A task ends its worker."""
import os

from joblib import Parallel, delayed


def fit(fold):
    os._exit(3)


if __name__ == "__main__":
    print(Parallel(n_jobs=2)(delayed(fit)(fold) for fold in range(4)))

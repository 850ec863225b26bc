# needs: joblib
"""A task gets a generator as its argument."""
from joblib import Parallel, delayed


def numbers(n):
    yield from range(n)


if __name__ == "__main__":
    print(Parallel(n_jobs=2)(delayed(sum)(numbers(n)) for n in range(4)))

# needs: joblib
"""The task is a function at the top of the module, and gets plain data."""
import threading

from joblib import Parallel, delayed


class Scorer:
    def __init__(self):
        self.scale = 2
        self._lock = threading.Lock()


def score(scale, x):
    return scale * x


if __name__ == "__main__":
    print(Parallel(n_jobs=2)(delayed(score)(Scorer().scale, x) for x in range(4)))

# needs: joblib
"""The task is a method of an object that holds a lock."""
import threading

from joblib import Parallel, delayed


class Scorer:
    def __init__(self):
        self.scale = 2
        self._lock = threading.Lock()

    def score(self, x):
        return self.scale * x


if __name__ == "__main__":
    print(Parallel(n_jobs=2)(delayed(Scorer().score)(x) for x in range(4)))

# needs: joblib
"""The lock stays out of the pickle; each worker makes one of its own."""
import threading

from joblib import Parallel, delayed


class Scorer:
    def __init__(self):
        self.scale = 2
        self._lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_lock", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def score(self, x):
        with self._lock:
            return self.scale * x


if __name__ == "__main__":
    print(Parallel(n_jobs=2)(delayed(Scorer().score)(x) for x in range(4)))

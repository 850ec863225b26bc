"""A service that counts under a lock scores its records in a pool."""
import logging
import multiprocessing as mp
import threading

log = logging.getLogger(__name__)


class Metrics:
    def __init__(self, name):
        self.name = name
        self._counts = {}
        self._guard = threading.Lock()  # object

    def add(self, key):
        with self._guard:
            self._counts[key] = self._counts.get(key, 0) + 1


class Scorer:
    def __init__(self, weights, metrics=None):
        self.weights = weights
        self.metrics = metrics or Metrics("scorer")

    def score(self, row):
        self.metrics.add("rows")
        return sum(w * x for w, x in zip(self.weights, row))


def main():
    scorer = Scorer([0.2, 0.8])
    rows = [(1, 2), (3, 4)]
    with mp.Pool(2) as pool:
        print(pool.map(scorer.score, rows))


if __name__ == "__main__":
    main()

import itertools
import threading

from joblib import Parallel, delayed


class History(object):
    def __init__(self):
        self.records = []
        self._guard = threading.RLock()  # object

    def add(self, **record):
        with self._guard:
            self.records.append(record)


class Model(object):
    def __init__(self, alpha=1.0, depth=2):
        self.alpha = alpha
        self.depth = depth
        self.history = History()

    def fit(self, xs):
        score = sum(xs) * self.alpha / self.depth
        self.history.add(score=score)
        return score


def evaluate(model, xs):
    return model.fit(xs)


def grid(alphas, depths):
    for alpha, depth in itertools.product(alphas, depths):
        yield Model(alpha, depth)


def search(xs, n_jobs=2):
    models = list(grid([1.0, 2.0], [1, 2]))
    scores = Parallel(n_jobs=n_jobs)(delayed(evaluate)(m, xs) for m in models)
    best = max(zip(scores, range(len(models))))
    return best[0]


if __name__ == "__main__":
    assert search([1, 2, 3]) == 12.0

from joblib import Parallel, delayed

from .report import Reporter


class GridSearch:
    def __init__(self, grid, n_jobs=2):
        self.grid = grid
        self.n_jobs = n_jobs
        self.reporter = Reporter()

    def _score(self, depth):
        return depth * 10

    def fit(self):
        scores = Parallel(n_jobs=self.n_jobs)(
            delayed(self._score)(depth) for depth in self.grid["depth"]
        )
        return self.grid["depth"][scores.index(max(scores))]

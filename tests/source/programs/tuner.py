import itertools
import threading
from functools import partial
from multiprocessing.pool import Pool


class Budget:
    def __init__(self, limit):
        self.limit = limit
        self.used = 0
        self.cond = threading.Condition()

    def __reduce__(self):
        return (Budget, (self.limit,))


class Trial:
    def __init__(self, params, budget, on_report=None):
        self.params = params
        self.budget = budget
        self.on_report = on_report

    def run(self, seed):
        value = self.params["lr"] * seed
        if self.on_report:
            self.on_report(value)
        return value


class Tuner:
    def __init__(self, grid):
        self.grid = grid
        self.reports = []
        self.budget = Budget(10)

    def report(self, value):
        self.reports.append(value)

    def trials(self):
        keys = sorted(self.grid)
        for values in itertools.product(*(self.grid[k] for k in keys)):
            params = dict(zip(keys, values))
            yield Trial(params, self.budget, on_report=lambda v: None)  # object

    def search(self, seed):
        with Pool(2) as pool:
            jobs = [pool.apply_async(t.run, (seed,)) for t in self.trials()]
            return max(j.get() for j in jobs)


if __name__ == "__main__":
    assert Tuner({"lr": [1, 2]}).search(3) == 6

import threading

from joblib import Parallel, delayed


class Model:
    def __init__(self, depth):
        self.depth = depth
        self.busy = threading.Semaphore(2)  # object

    def fit(self, x):
        return x * self.depth


def sweep(models, xs):
    return Parallel(n_jobs=2)(delayed(m.fit)(x) for m in models for x in xs)


if __name__ == "__main__":
    print(sweep([Model(1), Model(2)], [1, 2]))

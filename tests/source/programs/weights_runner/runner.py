import multiprocessing

WEIGHTS = None


def apply(n):
    return WEIGHTS[n] * 2


class Runner:
    def __init__(self, weights):
        self.weights = weights

    def prepare(self):
        global WEIGHTS
        WEIGHTS = list(self.weights)  # object

    def run(self):
        self.prepare()
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            return pool.map(apply, range(len(self.weights)))

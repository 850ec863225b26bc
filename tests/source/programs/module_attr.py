import math
import multiprocessing


class Engine:
    def __init__(self, precise=True):
        self.precise = precise
        self.backend = math  # object

    def solve(self, x):
        return self.backend.sqrt(x)


class Runner:
    def __init__(self, engine):
        self.engine = engine

    def run(self):
        with multiprocessing.Pool(1) as pool:
            return pool.map(self.engine.solve, [1, 4])


if __name__ == "__main__":
    print(Runner(Engine()).run())

import multiprocessing as mp
import sys
import threading


class Stage:
    def __init__(self, fn, source=None):
        self.fn = fn
        self.source = source
        self.stdout = sys.stdout  # object

    def log(self, text):
        print(text, file=self.stdout)

    def process(self, x):
        if self.source is not None:
            x = self.source.process(x)
        return self.fn(x)


def double(x):
    return 2 * x


def build():
    first = Stage(double)
    second = Stage(abs, first)
    return second


if __name__ == "__main__":
    with mp.Pool(2) as pool:
        assert pool.map(build().process, [1, -2]) == [2, 4]

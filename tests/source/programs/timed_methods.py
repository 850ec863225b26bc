import functools
import multiprocessing as mp
import time


def timed(method):
    def timer(self, *args, **kwargs):  # object
        started = time.time()
        try:
            return method(self, *args, **kwargs)
        finally:
            self.times.append(time.time() - started)
    return timer


def on_error(default):
    def decorate(fn):
        def guarded(*args):  # object
            try:
                return fn(*args)
            except ZeroDivisionError:
                return default
        return guarded
    return decorate


class Calculator:
    def __init__(self):
        self.times = []

    @timed
    def divide(self, pair):
        return pair[0] / pair[1]


@on_error(default=0.0)
def divide(a, b):
    return a / b


def main():
    calculator = Calculator()
    with mp.Pool(2) as pool:
        assert pool.map(calculator.divide, [(4, 2)]) == [2.0]
        assert pool.starmap(divide, [(1, 2), (1, 0)]) == [0.5, 0.0]


if __name__ == "__main__":
    main()

import functools
import time
from concurrent.futures import ProcessPoolExecutor


def timed(label):
    def decorate(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            start = time.perf_counter()
            try:
                return fn(*args, **kwargs)
            finally:
                stats[label] = time.perf_counter() - start

        return inner

    return decorate


stats = {}


def collatz(n):
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


def main(numbers=(6, 7, 27)):
    measured = timed("collatz")(collatz)  # object
    with ProcessPoolExecutor(max_workers=2) as pool:
        steps = list(pool.map(measured, numbers))
    assert steps == [8, 16, 111], steps
    print(dict(zip(numbers, steps)))


if __name__ == "__main__":
    main()

import multiprocessing as mp
from collections import namedtuple


def measure(n):
    Result = namedtuple("Result", "n square")  # object
    return Result(n, n * n)


def main():
    with mp.Pool(2) as pool:
        assert [r.square for r in pool.map(measure, [1, 2])] == [1, 4]


if __name__ == "__main__":
    main()

"""Pairs that a function takes as two arguments."""

from multiprocessing import Pool


def distance(a, b):
    return abs(a - b)


def main():
    pairs = [(1, 4), (6, 2)]
    with Pool(2) as pool:
        assert pool.map(distance, pairs) == [3, 4]  # object


if __name__ == "__main__":
    main()

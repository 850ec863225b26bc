import multiprocessing

from stats import Stats, merge


def main():
    parts = [Stats("a"), Stats("b")]
    for part in parts:
        part.seen("x")
    with multiprocessing.Pool(2) as pool:
        sizes = pool.map(merge, parts)
    assert sizes == [1, 1], sizes


if __name__ == "__main__":
    main()

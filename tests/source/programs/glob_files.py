import multiprocessing
import os
import pathlib


def total(files):
    return sum(path.stat().st_size for path in files)


def main():
    files = pathlib.Path(os.path.dirname(os.path.abspath(__file__))).glob("*.py")  # object
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.apply(total, (files,)) > 300


if __name__ == "__main__":
    main()

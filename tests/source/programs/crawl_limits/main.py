import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from crawler.fetch import LIMITS, fetch


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--depth", type=int, default=3)
    args = parser.parse_args(argv)
    LIMITS["depth"] = args.depth  # object
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        pages = list(pool.map(fetch, ["a", "b"]))
    assert pages == ["a/3", "b/3"], pages


if __name__ == "__main__":
    main()

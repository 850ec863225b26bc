import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial


def options():
    p = argparse.ArgumentParser()
    p.add_argument("-k", "--factor", type=int, default=2)
    p.add_argument("-l", "--log-to", dest="log", default=sys.stderr, type=argparse.FileType("a"))  # object
    return p.parse_args()


def mul(args, n):
    return n * args.factor


def main():
    args = options()
    print("starting", file=args.log)
    with ProcessPoolExecutor() as ex:
        assert list(ex.map(partial(mul, args), [1, 2])) == [2, 4]


if __name__ == "__main__":
    main()

import argparse
import sys
import tempfile
from functools import partial
from multiprocessing import Pool


def count(args, word):
    return args.text.count(word) * args.factor


def get_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=argparse.FileType("w"), default=sys.stderr)  # object
    parser.add_argument("--factor", type=int, default=2)
    parser.add_argument("--text", default="a b a")
    return parser


def main():
    args = get_parser().parse_args()
    args.report = open(tempfile.mktemp(), "w")
    with Pool(2) as pool:
        counts = pool.map(partial(count, args), ["a", "b"])
    args.report.write(str(counts))
    assert counts == [4, 2]


if __name__ == "__main__":
    main()

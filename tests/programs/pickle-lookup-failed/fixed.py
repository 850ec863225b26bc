"""The type name and the variable are the same (argument: start method)."""
import collections
import multiprocessing
import sys

Point = collections.namedtuple("Point", "x y")


def norm(point):
    return point.x + point.y


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    with ctx.Pool(1) as pool:
        assert pool.map(norm, [Point(1, 2)]) == [3]

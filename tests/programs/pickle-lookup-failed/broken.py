"""A namedtuple whose type name is not the name of its variable (argument: start method)."""
import collections
import multiprocessing
import sys

Point = collections.namedtuple("Pt", "x y")


def norm(point):
    return point.x + point.y


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    with ctx.Pool(1) as pool:
        print(pool.map(norm, [Point(1, 2)]))

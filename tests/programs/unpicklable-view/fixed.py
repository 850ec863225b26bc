"""A list of the keys is the argument of a pool task (argument: start method)."""
import multiprocessing
import sys


def count(names):
    return len(names)


if __name__ == "__main__":
    shards = {"a": 1, "b": 2}
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    with ctx.Pool(1) as pool:
        assert pool.apply(count, (list(shards.keys()),)) == 2

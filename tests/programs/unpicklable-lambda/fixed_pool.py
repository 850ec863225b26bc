# methods: spawn forkserver fork
"""The task is a function with a name, bound to its value."""
import functools
import multiprocessing
import sys


def scaled(scale, item):
    return scale * item


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Pool(2) as pool:
        print(pool.map(functools.partial(scaled, 3), range(4)))

# methods: spawn forkserver fork
"""A task is decorated, and the decorator hides its name."""
import multiprocessing
import sys


def timed(fn):
    def wrapper(*args):
        return fn(*args)

    return wrapper


@timed
def evaluate(item):
    return item + 1


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Pool(2) as pool:
        print(pool.map(evaluate, range(4)))

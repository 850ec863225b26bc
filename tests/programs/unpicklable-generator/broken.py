"""A pool task takes a generator (argument: start method)."""
import multiprocessing
import sys


def batches(n):
    for i in range(n):
        yield [i] * 4


def consume(gen):
    return sum(len(batch) for batch in gen)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    with ctx.Pool(2) as pool:
        print(pool.apply(consume, (batches(3),)))

# methods: spawn forkserver
"""The pool is made, and used, under the guard."""
import multiprocessing
import sys


def square(x):
    return x * x


def main():
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Pool(1) as pool:
        print(pool.map(square, range(4)))


if __name__ == "__main__":
    main()

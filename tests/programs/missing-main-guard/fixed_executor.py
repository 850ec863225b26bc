# methods: spawn forkserver
"""The executor is used under the guard."""
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor


def square(x):
    return x * x


def main():
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ProcessPoolExecutor(1, mp_context=ctx) as pool:
        print(list(pool.map(square, range(4))))


if __name__ == "__main__":
    main()

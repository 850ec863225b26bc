"""The rate is set at the top level, where every worker finds it."""
import multiprocessing

RATE = 1.1


def convert(amount):
    return amount * RATE


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(convert, [1, 2]))

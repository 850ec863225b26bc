"""The rate is set under the guard, which a spawned worker leaves out."""
import multiprocessing


def convert(amount):
    return amount * RATE


if __name__ == "__main__":
    RATE = 1.1
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(convert, [1, 2]))

"""The pool is made when its functions are there."""
import multiprocessing


def late(item):
    return item + 1


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(late, [1, 2]))

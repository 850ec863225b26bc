from multiprocessing import Array, Pool, Value
from functools import partial


def work(counter, cells, n):
    with counter.get_lock():
        counter.value += n
    cells[n] = n
    return n


def main():
    counter = Value("i", 0)  # object
    cells = Array("d", 3)
    with Pool(2) as pool:
        pool.map(partial(work, counter, cells), range(3))
    assert counter.value == 3


if __name__ == "__main__":
    main()

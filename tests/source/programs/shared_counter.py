import multiprocessing
from functools import partial


def handle(counter, item):
    with counter.get_lock():
        counter.value += 1
    return item


def main():
    counter = multiprocessing.Value("i", 0)  # object
    with multiprocessing.Pool(2) as pool:
        pool.map(partial(handle, counter), range(5))
    assert counter.value == 5


if __name__ == "__main__":
    main()

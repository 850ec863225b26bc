import multiprocessing


def run_all(items, offset):
    def work(item):  # object
        return item + offset

    with multiprocessing.Pool(2) as pool:
        return pool.map(work, items)


if __name__ == "__main__":
    print(run_all([1, 2], 5))

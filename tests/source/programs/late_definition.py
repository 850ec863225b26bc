import multiprocessing as mp

pool = mp.get_context("fork").Pool(2)


def slow_square(x):  # object
    return x * x


def main():
    job = pool.map_async(slow_square, [1, 2, 3])
    assert job.get(timeout=5) == [1, 4, 9]


if __name__ == "__main__":
    main()

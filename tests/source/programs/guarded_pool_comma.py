import multiprocessing as mp


def convert(x):
    return x * RATE


if __name__ == "__main__":
    RATE = 3  # object
    ctx = mp.get_context("spawn")
    with ctx.Pool(2,) as pool:
        assert pool.map(convert, [1, 2]) == [3, 6]

import multiprocessing

STATE = {}


def work(n):
    return n * STATE["k"]


def main(values):
    context = multiprocessing.get_context("spawn")
    with context.Pool(2, initializer=lambda: STATE.update(values)) as pool:  # object
        assert pool.map(work, [1, 2]) == [10, 20]


if __name__ == "__main__":
    main({"k": 10})

"""A lambda that keeps what a loop at the top level changes."""
from concurrent.futures import ProcessPoolExecutor


def call(f, x):
    return f(x)


if __name__ == "__main__":
    powers = {}
    for n in (1, 2, 3):
        powers[n] = lambda x, n=n: x ** n  # object
    with ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(call, powers[n], 2) for n in powers]
        assert [j.result() for j in jobs] == [2, 4, 8]

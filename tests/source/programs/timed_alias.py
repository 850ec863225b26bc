import functools
from concurrent.futures import ProcessPoolExecutor


def retry(times):
    def decorate(fn):
        @functools.wraps(fn)
        def inner(*args):
            last = None
            for _ in range(times):
                try:
                    return fn(*args)
                except ValueError as e:
                    last = e
            raise last
        return inner
    return decorate


def download(n):
    return n + 1


fetch = retry(3)(download)  # object


def main():
    with ProcessPoolExecutor(2) as executor:
        futures = [executor.submit(fetch, n) for n in range(3)]
        values = [f.result() for f in futures]
    assert values == [1, 2, 3]


if __name__ == "__main__":
    main()

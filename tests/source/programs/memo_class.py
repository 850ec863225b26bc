import multiprocessing as mp


class Memo:
    """Caches what a function gives."""

    def __init__(self, fn):
        self.fn = fn
        self.known = {}

    def __call__(self, n):
        if n not in self.known:
            self.known[n] = self.fn(n)
        return self.known[n]


@Memo
def fib(n):  # object
    return 1 if n < 2 else fib(n - 1) + fib(n - 2)


if __name__ == "__main__":
    with mp.Pool(2) as pool:
        assert pool.map(fib, range(3)) == [1, 1, 2]

import threading
from multiprocessing import get_context


class RateLimiter:
    __slots__ = ("rate", "_guard", "_tokens")

    def __init__(self, rate):
        self.rate = rate
        self._guard = threading.Lock()  # object
        self._tokens = rate

    def take(self):
        with self._guard:
            self._tokens -= 1
            return self._tokens


class Fetcher:
    __slots__ = ("limiter",)

    def __init__(self, limiter):
        self.limiter = limiter

    def fetch(self, url):
        return url, self.limiter.take()


if __name__ == "__main__":
    fetcher = Fetcher(RateLimiter(2))
    ctx = get_context("spawn")
    with ctx.Pool(2) as pool:
        assert pool.map(fetcher.fetch, ["a", "b"], chunksize=1) == [("a", 1), ("b", 1)]

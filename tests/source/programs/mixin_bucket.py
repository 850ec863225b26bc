import concurrent.futures
import threading
import time


class Base:
    def __init__(self, url, **kwargs):
        self.url = url
        self.options = kwargs


class RateLimited:
    rate = 1000

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._tokens = self.rate
        self._bucket_lock = threading.Lock()  # object

    def take(self):
        with self._bucket_lock:
            self._tokens -= 1


class Cached:
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._cache = {}
        self._cache_lock = threading.RLock()

    def __getstate__(self):
        state = dict(self.__dict__)
        state.pop("_cache_lock")
        state["_cache"] = {}
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._cache_lock = threading.RLock()


class ApiClient(RateLimited, Cached, Base):
    def get(self, path):
        self.take()
        with self._cache_lock:
            return self._cache.setdefault(path, "%s/%s" % (self.url, path))


def main():
    client = ApiClient("http://host", timeout=3)
    with concurrent.futures.ProcessPoolExecutor() as ex:
        got = list(ex.map(client.get, ["x", "y"]))
    assert got == ["http://host/x", "http://host/y"]


if __name__ == "__main__":
    main()

import functools
import multiprocessing


def retry(times):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*a, **k):
            for _ in range(times):
                try:
                    return fn(*a, **k)
                except ValueError:
                    pass
        return inner
    return wrap


class Job:
    def __init__(self, key=None):
        self.key = key or (lambda x: -x)  # object

    @retry(2)
    def run(self, xs):
        return sorted(xs, key=self.key)


if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        print(pool.map(Job().run, [[1, 2]]))

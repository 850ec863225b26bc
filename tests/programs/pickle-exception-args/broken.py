"""A worker raises an exception that cannot be built from its args (argument: start method)."""
import multiprocessing
import sys


class ApiError(Exception):
    def __init__(self, code, message):
        super().__init__("%s: %s" % (code, message))
        self.code = code


def fetch(_):
    raise ApiError(503, "service unavailable")


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    pool = ctx.Pool(1)
    try:
        pool.map_async(fetch, [1]).get(timeout=5)    # without the timeout it would wait forever
    except multiprocessing.TimeoutError:
        print("no answer")
    except ApiError as error:
        print(error.code, error)
    try:
        pool.terminate()
    except AssertionError:
        print("the pool has lost its thread")

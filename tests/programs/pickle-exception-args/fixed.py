"""The exception gives all its arguments to super().__init__ (argument: start method)."""
import multiprocessing
import sys


class ApiError(Exception):
    def __init__(self, code, message):
        super().__init__(code, message)
        self.code, self.message = code, message

    def __str__(self):
        return "%s: %s" % (self.code, self.message)


def fetch(_):
    raise ApiError(503, "service unavailable")


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    with ctx.Pool(1) as pool:
        try:
            pool.map_async(fetch, [1]).get(timeout=60)
        except ApiError as error:
            print(error.code, error)

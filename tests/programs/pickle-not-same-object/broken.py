"""A decorator sends the raw function to a pool, but the name means the wrapper."""
import functools
from concurrent.futures import ProcessPoolExecutor


def in_process(function):
    @functools.wraps(function)
    def wrapper(*args):
        with ProcessPoolExecutor(1) as executor:
            return executor.submit(function, *args).result()
    return wrapper


@in_process
def heavy(x):
    return x ** 2


if __name__ == "__main__":
    print(heavy(3))

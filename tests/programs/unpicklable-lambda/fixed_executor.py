"""The task is a function with a name, and its values are arguments."""
from concurrent.futures import ProcessPoolExecutor


def scaled(scale, item):
    return scale * item


def run(pool, scale):
    return pool.submit(scaled, scale, 2).result()


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(run(pool, 21))

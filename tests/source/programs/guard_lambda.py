"""A lambda under the main guard, which uses what is set there."""
from multiprocessing import get_context

if __name__ == "__main__":
    factor = 3
    with get_context("spawn").Pool(1) as pool:
        for shift in (1, 2):
            scaled = pool.map(lambda n: n * factor + shift, [1, 2])  # object
            assert scaled == [3 + shift, 6 + shift]

"""A local function that calls another one beside it, in a class that cannot be sent."""

import threading
from concurrent.futures import ProcessPoolExecutor


class Prices:
    def __init__(self, rate):
        self.rate = rate
        self.lock = threading.Lock()

    def all(self, amounts, digits=1):
        def rounded(price):
            return round(price, digits)

        def priced(amount):  # object
            """Prices one amount.

            As of today.
            """
            return rounded(amount * self.rate)

        with ProcessPoolExecutor(2) as pool:
            return list(pool.map(priced, amounts))


if __name__ == "__main__":
    assert Prices(0.25).all([1, 2]) == [0.2, 0.5]

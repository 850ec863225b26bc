"""Searchers in a pool go on until the one that has it tells them all."""
import threading
import time
from multiprocessing import Pool


class Search:
    def __init__(self, wanted):
        self.wanted = wanted
        self.found = threading.Event()  # object

    def run(self, start):
        until = time.monotonic() + 10
        for number in range(start, 1000, 2):
            if number == self.wanted:
                self.found.set()
                return number
            if self.found.is_set():
                return None
        while time.monotonic() < until:
            if self.found.wait(0.05):
                return None
        raise RuntimeError("nobody has told me")


if __name__ == "__main__":
    with Pool(2) as pool:
        found = pool.map(Search(41).run, [0, 1])
    assert found == [None, 41], found
    print(found)

"""A report that the parent alone writes, and rows that a pool works out."""

import multiprocessing


class Report:
    def __init__(self, path):
        self.out = open(path, "w")  # object
        self.rate = 3

    def priced(self, row):
        return row * self.rate

    def run(self, rows):
        with multiprocessing.Pool(2) as pool:
            prices = pool.map(self.priced, rows)
        for price in prices:
            self.out.write(f"{price}\n")
        self.out.close()
        return prices


if __name__ == "__main__":
    assert Report("report.txt").run([1, 2]) == [3, 6]
    assert open("report.txt").read() == "3\n6\n"

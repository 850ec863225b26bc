import sys
import multiprocessing as mp


class Console:
    def __init__(self, stream=sys.stdout, width=40):
        self.stream = stream  # object
        self.width = width

    def line(self, text):
        self.stream.write(text[: self.width] + "\n")


class Checker:
    def __init__(self, console=None):
        self.console = console or Console()
        self.errors = 0

    def check(self, value):
        if value < 0:
            self.console.line("negative: %d" % value)
        return value >= 0


def main():
    checker = Checker()
    with mp.Pool(2) as pool:
        assert pool.map(checker.check, [1, -2, 3]) == [True, False, True]


if __name__ == "__main__":
    main()

# methods: spawn forkserver fork
"""The class stands at the top of the module."""
import multiprocessing
import sys


class Record:
    def __init__(self, value):
        self.value = value


def value_of(record):
    return record.value


def main(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        print(pool.map(value_of, [Record(1), Record(2)]))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "spawn")

# methods: spawn forkserver fork
"""The items of a pool are instances of a class made inside a function."""
import multiprocessing
import sys


def value_of(record):
    return record.value


def main(method):
    class Record:
        def __init__(self, value):
            self.value = value

    with multiprocessing.get_context(method).Pool(2) as pool:
        print(pool.map(value_of, [Record(1), Record(2)]))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "spawn")

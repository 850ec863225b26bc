"""The generator is used up in the worker, and a list comes back."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def read(name):
    for number in range(3):
        yield "%s %d" % (name, number)


def read_all(name):
    return list(read(name))


if __name__ == "__main__":
    with multiprocessing.get_context(METHOD).Pool(2) as pool:
        print(pool.map(read_all, ["a", "b"]))

"""The function of a pool yields, so that its result is a generator."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def read(name):
    for number in range(3):
        yield "%s %d" % (name, number)


if __name__ == "__main__":
    with multiprocessing.get_context(METHOD).Pool(2) as pool:
        print(pool.map(read, ["a", "b"]))

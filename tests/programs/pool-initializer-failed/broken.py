"""The initializer of an executor needs a file that is not there."""
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def setup(path):
    global vocabulary
    with open(path) as file:
        vocabulary = file.read().split()


def work(x):
    return len(vocabulary) + x


if __name__ == "__main__":
    context = multiprocessing.get_context(METHOD)
    with ProcessPoolExecutor(2, mp_context=context, initializer=setup, initargs=("no/such/vocabulary.txt",)) as executor:
        print(list(executor.map(work, range(4))))

"""The initializer was called once in the parent, and its arguments were put right."""
import multiprocessing
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def setup(path):
    global vocabulary
    with open(path) as file:
        vocabulary = file.read().split()


def work(x):
    return len(vocabulary) + x


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vocabulary.txt")
        with open(path, "w") as file:
            file.write("a b c")
        setup(path)
        context = multiprocessing.get_context(METHOD)
        with ProcessPoolExecutor(2, mp_context=context, initializer=setup, initargs=(path,)) as executor:
            print(list(executor.map(work, range(4))))

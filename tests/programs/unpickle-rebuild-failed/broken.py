"""__setstate__ opens a path that means something in the parent's working directory only."""
import multiprocessing
import os
import sys
import tempfile

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


class Store:
    def __init__(self, path):
        self.path = path
        self.file = open(path)

    def __getstate__(self):
        return {"path": self.path}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.file = open(self.path)


def show(store):
    print(store.path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        start = os.getcwd()
        os.chdir(folder)
        with open("names.txt", "w") as file:
            file.write("a\n")
        store = Store("names.txt")
        os.chdir(start)
        process = multiprocessing.get_context(METHOD).Process(target=show, args=(store,))
        process.start()
        process.join()

"""Each process connects for itself, on first use (argument: start method)."""
import multiprocessing
import os
import sqlite3
import sys
import tempfile


class Index:
    def __init__(self, path):
        self.path = path
        self._db = None

    def __getstate__(self):
        return dict(self.__dict__, _db=None)

    @property
    def db(self):
        if self._db is None:
            self._db = sqlite3.connect(self.path)
        return self._db

    def one(self):
        return self.db.execute("SELECT 1").fetchone()[0]


def worker(index):
    print(index.one())


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with tempfile.TemporaryDirectory() as folder:
        index = Index(os.path.join(folder, "index.db"))
        assert index.one() == 1
        process = ctx.Process(target=worker, args=(index,))
        process.start()
        process.join()
        sys.exit(process.exitcode)

"""An index with an open SQLite connection is sent to a process (argument: start method)."""
import multiprocessing
import os
import sqlite3
import sys
import tempfile


class Index:
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)

    def one(self):
        return self.db.execute("SELECT 1").fetchone()[0]


def worker(index):
    print(index.one())


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with tempfile.TemporaryDirectory() as folder:
        process = ctx.Process(target=worker, args=(Index(os.path.join(folder, "index.db")),))
        process.start()
        process.join()
        sys.exit(process.exitcode)

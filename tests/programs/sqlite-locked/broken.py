"""Two processes write to one file of SQLite, and one does not wait."""
import multiprocessing
import os
import sqlite3
import sys
import tempfile

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(path):
    db = sqlite3.connect(path, timeout=0.1)
    db.execute("INSERT INTO t VALUES (1)")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.db")
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE t (n INTEGER)")
        db.execute("BEGIN IMMEDIATE")
        with multiprocessing.get_context(METHOD).Pool(1) as pool:
            pool.map(work, [path])

"""The first process commits, and the other one waits for that."""
import multiprocessing
import os
import sqlite3
import sys
import tempfile

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(path):
    db = sqlite3.connect(path, timeout=30)
    with db:
        db.execute("INSERT INTO t VALUES (1)")
    db.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.db")
        db = sqlite3.connect(path)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE t (n INTEGER)")
        db.commit()
        with multiprocessing.get_context(METHOD).Pool(2) as pool:
            pool.map(work, [path] * 4)
        print(db.execute("SELECT count(*) FROM t").fetchone())
        db.close()

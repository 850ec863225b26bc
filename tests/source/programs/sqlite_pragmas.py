import multiprocessing as mp
import os
import sqlite3
import tempfile


class Store:
    def __init__(self, path, timeout=3.0):
        self.path = path
        self.conn = sqlite3.connect(path, timeout=timeout)  # object
        self.conn.row_factory = sqlite3.Row
        self.conn.execute("PRAGMA cache_size = -2000")
        self.conn.execute("CREATE TABLE IF NOT EXISTS t (k TEXT, v TEXT)")
        self.conn.create_function("twice", 1, twice)

    def get(self, key):
        row = self.conn.execute("SELECT twice(v) AS v FROM t WHERE k = ?", (key,)).fetchone()
        return row["v"]


def twice(text):
    return text * 2


def main():
    path = os.path.join(tempfile.mkdtemp(), "kv.db")
    store = Store(path)
    store.conn.execute("INSERT INTO t VALUES ('a', 'x'), ('b', 'y')")
    store.conn.commit()
    with mp.get_context("spawn").Pool(2) as pool:
        assert pool.map(store.get, ["a", "b"]) == ["xx", "yy"]


if __name__ == "__main__":
    main()

import multiprocessing as mp
import os
import shelve
import sqlite3
import tempfile
from functools import partial


class Store:
    def __init__(self, path):
        self.path = path
        self.db = None

    def __enter__(self):
        self.db = sqlite3.connect(self.path)  # object
        self.db.execute("create table if not exists kv (k text, v integer)")
        return self

    def __exit__(self, *exc):
        self.db.close()

    def get(self, key):
        row = self.db.execute("select v from kv where k = ?", (key,)).fetchone()
        return row[0] if row else None

    def put(self, key, value):
        self.db.execute("insert into kv values (?, ?)", (key, value))
        self.db.commit()


def load(store, key):
    return store.get(key)


def main():
    path = os.path.join(tempfile.mkdtemp(), "kv.db")
    with Store(path) as store:
        store.put("a", 1)
        store.put("b", 2)
        with mp.Pool(2) as pool:
            assert pool.map(partial(load, store), ["a", "b"]) == [1, 2]


if __name__ == "__main__":
    main()

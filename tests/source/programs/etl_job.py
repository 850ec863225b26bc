import logging
import multiprocessing as mp
import os
import sqlite3
import tempfile
from contextlib import contextmanager


class Database:
    def __init__(self, filename):
        directory = tempfile.gettempdir()
        target = os.path.join(directory, filename)
        self.conn = sqlite3.connect(target)  # object
        self.conn.execute("create table if not exists t (x integer)")

    @contextmanager
    def cursor(self):
        cur = self.conn.cursor()
        yield cur
        cur.close()


class Job:
    def __init__(self, name, db):
        self.name = name
        self.db = db
        self.log = logging.getLogger(name)

    def __call__(self, n):
        with self.db.cursor() as cur:
            cur.execute("select ?", (n,))
            return cur.fetchone()[0]


def main():
    job = Job("etl", Database("etl-%d.db" % os.getpid()))
    with mp.Pool(2) as pool:
        assert pool.map(job, [1, 2, 3]) == [1, 2, 3]


if __name__ == "__main__":
    main()

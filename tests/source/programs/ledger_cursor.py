import os
import sqlite3
import tempfile
from multiprocessing import Pool


class Ledger:
    def __init__(self, path):
        self.path = path
        self.conn = sqlite3.connect(path)  # object
        self.cur = self.conn.cursor()
        self.cur.execute("create table if not exists t (n int)")

    def add(self, n):
        self.cur.execute("insert into t values (?)", (n,))
        self.conn.commit()

    def total(self, k):
        self.cur.execute("select sum(n) from t")
        return self.cur.fetchone()[0] * k


def main():
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(os.path.join(folder, "l.db"))
        ledger.add(2)
        ledger.add(3)
        with Pool(2) as pool:
            assert pool.map(ledger.total, [1, 2]) == [5, 10]


if __name__ == "__main__":
    main()

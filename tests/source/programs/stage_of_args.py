import argparse
import os
import sqlite3
import tempfile
from multiprocessing import Pool


class Load:
    def __init__(self, path):
        self.conn = sqlite3.connect(path, timeout=30)  # object

    def apply(self, row):
        return self.conn.execute("select ? * 2", (row,)).fetchone()[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--db", default=os.path.join(tempfile.mkdtemp(), "o.db"))
    args = parser.parse_args()
    load = Load(args.db)
    with Pool(2) as pool:
        assert pool.map(load.apply, [1, 2]) == [2, 4]


if __name__ == "__main__":
    main()

import multiprocessing as mp
import sqlite3


class Writer(mp.Process):
    def __init__(self, path, rows):
        super().__init__(name="writer")
        self.path = path
        self.rows = rows
        self.conn = sqlite3.connect(path)  # object

    def run(self):
        self.conn.executemany("insert into t values (?)", self.rows)


def start_all(paths):
    writers = []
    for path in paths:
        writers.append(Writer(path, [(1,), (2,)]))
    for w in writers:
        w.start()
    for w in writers:
        w.join()


if __name__ == "__main__":
    mp.set_start_method("spawn")
    start_all([":memory:"])

import multiprocessing
import os
import sqlite3
import tempfile
from functools import cached_property


class OrderRepository:
    TABLE = "orders"

    def __init__(self, database):
        self.database = database

    @cached_property
    def connection(self):
        return sqlite3.connect(self.database)  # object

    def create(self, rows):
        self.connection.execute(f"create table {self.TABLE} (id integer, total real)")
        self.connection.executemany(f"insert into {self.TABLE} values (?, ?)", rows)
        self.connection.commit()

    def total(self):
        (value,) = self.connection.execute(f"select sum(total) from {self.TABLE}").fetchone()
        return value


def report(repo, out):
    with open(out, "w") as f:
        f.write(f"{repo.total():.2f}")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        repo = OrderRepository(os.path.join(tmp, "orders.db"))
        repo.create([(1, 9.5), (2, 20.25)])
        target = os.path.join(tmp, "report.txt")
        ctx = multiprocessing.get_context("spawn")
        proc = ctx.Process(target=report, args=(repo, target), name="report")
        proc.start()
        proc.join()
        with open(target) as f:
            assert f.read() == "29.75"
        print("report written")


if __name__ == "__main__":
    main()

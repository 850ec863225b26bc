import multiprocessing as mp
import sqlite3

database = None


def init_worker(connection):
    global database
    database = connection


def query(sql):
    return database.execute(sql).fetchone()


def main():
    connection = sqlite3.connect("report.db")  # object
    with mp.get_context("spawn").Pool(1, init_worker, (connection,)) as pool:
        print(pool.map(query, ["select 1", "select 2"]))


if __name__ == "__main__":
    main()

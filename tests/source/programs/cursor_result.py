import sqlite3
from concurrent.futures import ProcessPoolExecutor


def query(sql):
    conn = sqlite3.connect(":memory:")
    cursor = conn.cursor()
    rows = cursor.execute(sql)  # object
    return rows


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as ex:
        future = ex.submit(query, "select 1")
        print(future.result())

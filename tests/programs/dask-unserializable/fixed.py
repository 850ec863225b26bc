# needs: dask, distributed
"""The task gets plain data and makes the rest itself."""
import threading

from distributed import Client, LocalCluster


class Table:
    def __init__(self, rows):
        self.rows = rows
        self.lock = threading.Lock()


def count(rows):
    table = Table(rows)
    return len(table.rows)


def main():
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        print(client.submit(count, [1, 2]).result())


if __name__ == "__main__":
    main()

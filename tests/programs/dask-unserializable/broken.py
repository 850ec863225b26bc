# needs: dask, distributed
"""A task's argument holds a lock."""
import threading

from distributed import Client, LocalCluster


class Table:
    def __init__(self, rows):
        self.rows = rows
        self.lock = threading.Lock()


def count(table):
    return len(table.rows)


def main():
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        print(client.submit(count, Table([1, 2])).result())


if __name__ == "__main__":
    main()

# needs: dask, distributed
"""A task returns an object that holds a lock."""
import threading

from distributed import Client, LocalCluster


def load():
    return {"rows": 2, "lock": threading.Lock()}


def main():
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        print(client.submit(load).result()["rows"])


if __name__ == "__main__":
    main()

# needs: dask, distributed
"""A task takes down every worker that runs it."""
import os

import dask
from distributed import Client, LocalCluster


def load(size):
    if size > 8:
        os._exit(1)
    return size


def main():
    dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        print(client.submit(load, 16).result())


if __name__ == "__main__":
    main()

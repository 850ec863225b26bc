# needs: distributed
"""A task grows until its worker's limit; the program ends when the worker was replaced once."""
import time

from distributed import Client


def load(n):
    data = []
    for _ in range(200):
        data.append(bytearray(5000000))
        data[-1][::4096] = b"x" * len(data[-1][::4096])
        time.sleep(0.03)
    return len(data)


if __name__ == "__main__":
    client = Client(n_workers=1, threads_per_worker=1, memory_limit="400MB", dashboard_address=None)
    future = client.submit(load, 1, retries=0)
    time.sleep(12)
    client.cancel(future)
    client.close()

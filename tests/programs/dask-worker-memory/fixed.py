# needs: distributed
"""The task goes through small parts."""
from distributed import Client


def load(n):
    return sum(len(bytearray(1000000)) for _ in range(20))


if __name__ == "__main__":
    client = Client(n_workers=1, threads_per_worker=1, memory_limit="1GB", dashboard_address=None)
    print(client.submit(load, 1).result())
    client.close()

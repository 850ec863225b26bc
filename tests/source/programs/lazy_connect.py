import contextlib
import multiprocessing as mp
import os
import sqlite3
import tempfile


class Client:
    def __init__(self, path, timeout=5):
        self.path = path
        self.timeout = timeout
        self._connection = None

    def connect(self):
        if self._connection is None:
            self._connection = sqlite3.connect(self.path, timeout=self.timeout)  # object
        return self

    @property
    def connection(self):
        self.connect()
        return self._connection

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def ask(self, n):
        return self.connection.execute("select ? * 2", (n,)).fetchone()[0]


def main():
    path = os.path.join(tempfile.mkdtemp(), "client.db")
    client = Client(path).connect()
    with contextlib.closing(client):
        ctx = mp.get_context("spawn")
        with ctx.Pool(2) as pool:
            assert pool.map(client.ask, [1, 2]) == [2, 4]


if __name__ == "__main__":
    main()

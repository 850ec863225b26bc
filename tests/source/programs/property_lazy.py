import multiprocessing
import sqlite3


class Repo:
    def __init__(self, path):
        self.path = path
        self._conn = None

    @property
    def conn(self):
        if self._conn is None:
            self._conn = sqlite3.connect(self.path)  # object
        return self._conn

    def count(self):
        return self.conn.execute("select 1").fetchone()[0]


def job(repo):
    return repo.count()


if __name__ == "__main__":
    repo = Repo(":memory:")
    repo.count()
    with multiprocessing.Pool(1) as pool:
        print(pool.apply(job, (repo,)))

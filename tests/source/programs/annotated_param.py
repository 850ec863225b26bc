import multiprocessing
import threading
from typing import Optional


class Session:
    def __init__(self, user: str):
        self.user = user
        self.token = None
        self._refresh = threading.Event()  # object


class Worker:
    def __init__(self, session: Optional[Session] = None):
        self.session = session

    def do(self, n: int) -> int:
        return n


def launch(worker: Worker, items):
    with multiprocessing.Pool(2) as pool:
        return pool.map(worker.do, items)


def main():
    session = Session("me")
    worker = Worker(session=session)
    print(launch(worker, [1, 2]))


if __name__ == "__main__":
    main()

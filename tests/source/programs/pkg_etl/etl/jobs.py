from concurrent import futures

from .base import Component


def one(store, name):
    return name, store.count(name)


class Runner:
    def __init__(self, store, *, workers):
        self.store = store
        self.workers = workers

    def run(self, names):
        with futures.ProcessPoolExecutor(self.workers) as pool:
            pending = [pool.submit(one, self.store, n) for n in names]
            for done in futures.as_completed(pending):
                yield done.result()

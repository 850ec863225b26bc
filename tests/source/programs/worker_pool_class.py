import multiprocessing
import threading


class Worker(multiprocessing.Process):
    def __init__(self, wid, inbox, outbox):
        multiprocessing.Process.__init__(self)
        self.wid = wid
        self.inbox = inbox
        self.outbox = outbox
        self.stats_lock = threading.Lock()  # object
        self.done = 0

    def run(self):
        for item in iter(self.inbox.get, None):
            with self.stats_lock:
                self.done += 1
            self.outbox.put(item * self.done)


class Master:
    def __init__(self, n):
        self.ctx = multiprocessing.get_context("spawn")
        multiprocessing.set_start_method("spawn")
        self.inbox = self.ctx.Queue()
        self.outbox = self.ctx.Queue()
        self.workers = [Worker(i, self.inbox, self.outbox) for i in range(n)]

    def run(self, items):
        for worker in self.workers:
            worker.start()
        for item in items:
            self.inbox.put(item)
        results = [self.outbox.get(timeout=20) for _ in items]
        for _ in self.workers:
            self.inbox.put(None)
        for worker in self.workers:
            worker.join()
        return results


if __name__ == "__main__":
    assert Master(1).run([1, 1, 1]) == [1, 2, 3]

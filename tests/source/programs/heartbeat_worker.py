import multiprocessing
import threading
import time


class Worker(multiprocessing.Process):
    interval = 0.05

    def __init__(self, ident, results):
        super().__init__(name=f"worker-{ident}")
        self.ident_ = ident
        self.results = results
        self.stopping = threading.Event()  # object
        self.beats = 0

    def beat(self):
        while not self.stopping.wait(self.interval):
            self.beats += 1

    def run(self):
        thread = threading.Thread(target=self.beat, daemon=True)
        thread.start()
        time.sleep(0.3)
        self.stopping.set()
        thread.join()
        self.results.put((self.ident_, self.beats > 0))


def main():
    ctx_results = multiprocessing.SimpleQueue()
    workers = [Worker(i, ctx_results) for i in range(2)]
    for w in workers:
        w.start()
    got = sorted(ctx_results.get() for _ in workers)
    for w in workers:
        w.join()
    assert got == [(0, True), (1, True)], got
    print(got)


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()

import multiprocessing as mp
import threading
import time


class Monitor:
    def __init__(self, interval):
        self.interval = interval
        self.running = False
        self.thread = None

    def _loop(self):
        while self.running:
            time.sleep(self.interval)

    def start(self):
        self.running = True
        self.thread = threading.Thread(target=self._loop, daemon=True)  # object
        self.thread.start()

    def stop(self):
        self.running = False
        self.thread.join()


class Job:
    def __init__(self, name):
        self.name = name
        self.monitor = Monitor(0.01)

    def run(self, queue):
        queue.put(self.name)


def main():
    ctx = mp.get_context("spawn")
    queue = ctx.SimpleQueue()
    job = Job("j")
    job.monitor.start()
    process = ctx.Process(target=job.run, args=(queue,))
    process.start()
    assert queue.get() == "j"
    process.join()
    job.monitor.stop()


if __name__ == "__main__":
    main()

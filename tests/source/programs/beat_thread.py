import multiprocessing
import threading
import time


class Heartbeat(threading.Thread):
    def __init__(self, every):
        super().__init__(daemon=True)
        self.every = every
        self.stopped = False

    def run(self):
        while not self.stopped:
            time.sleep(self.every)


class Worker(multiprocessing.Process):
    def __init__(self, numbers, out):
        multiprocessing.Process.__init__(self)
        self.numbers = numbers
        self.out = out
        self.beat = Heartbeat(0.01)  # object

    def run(self):
        self.beat.start()
        self.out.put(sum(self.numbers))
        self.beat.stopped = True


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    out = multiprocessing.Queue()
    w = Worker([1, 2, 3], out)
    w.start()
    assert out.get(timeout=20) == 6
    w.join()

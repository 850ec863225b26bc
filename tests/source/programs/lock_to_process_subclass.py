"""Workers share a lock, which the main program makes."""
import multiprocessing
import threading


class Worker(multiprocessing.Process):
    def __init__(self, lock, number):
        super().__init__()
        self.lock = lock
        self.number = number

    def run(self):
        with self.lock:
            print("worker", self.number)


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    gate = threading.RLock()  # object
    workers = [Worker(gate, number) for number in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0

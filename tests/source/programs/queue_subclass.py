import multiprocessing as mp
import queue
import threading


class Worker(mp.Process):
    def __init__(self, tasks, results):
        super().__init__()
        self.tasks = tasks
        self.results = results

    def run(self):
        while True:
            task = self.tasks.get()
            if task is None:
                break
            self.results.put(task * 10)


def main():
    mp.set_start_method("spawn")
    tasks = queue.Queue()  # object
    results = mp.Queue()
    worker = Worker(tasks, results)
    worker.start()
    for n in (1, 2):
        tasks.put(n)
    tasks.put(None)
    got = [results.get(timeout=20) for _ in range(2)]
    worker.join()
    assert got == [10, 20]


if __name__ == "__main__":
    main()

import multiprocessing
import threading


class Tracker:
    def __init__(self, n):
        self.n = n
        self.lock = threading.Lock()

    def __getstate__(self):
        return {"n": self.n}

    def __setstate__(self, state):
        self.n = state["n"]
        self.lock = threading.Lock()


class Trainer:
    def __init__(self):
        self.tracker = Tracker(3)
        self.stop = threading.Condition(threading.Lock())  # object

    def step(self, x):
        return x + self.tracker.n


if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        print(pool.map(Trainer().step, [1]))

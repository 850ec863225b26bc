import itertools
import multiprocessing as mp
import random
import threading


def new_lock():
    return threading.RLock()  # object


class Walker:
    ids = itertools.count()

    def __init__(self, rng, log_every=10):
        self.id = next(self.ids)
        self.rng = rng
        self.log_every = log_every
        self.position = 0
        self.lock = new_lock()

    def walk(self, steps):
        for _ in range(steps):
            with self.lock:
                self.position += 1
        return self.position


def walk(walker, steps):
    return walker.walk(steps)


def main():
    rngs = [random.Random(i) for i in range(3)]
    walkers = [Walker(r) for r in rngs]
    with mp.Pool(2) as pool:
        ends = pool.starmap(walk, [(w, 5) for w in walkers])
    assert ends == [5, 5, 5]


if __name__ == "__main__":
    main()

import multiprocessing
import threading

_lock = None


def setup(lock, verbose):
    global _lock
    _lock = lock


def work(n):
    with _lock:
        return n


def main():
    lock = threading.Lock()  # object
    ctx = multiprocessing.get_context("spawn")
    with ctx.Pool(processes=2, initializer=setup, initargs=(lock, True)) as pool:
        print(pool.map(work, [1]))


if __name__ == "__main__":
    main()

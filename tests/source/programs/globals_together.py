"""Two globals that main sets, and one function that uses both."""
import multiprocessing as mp


def work(n):
    with lock:
        results[n] = n * n


def main():
    global lock, results
    manager = mp.Manager()
    lock = manager.Lock()  # object
    results = manager.dict()
    with mp.get_context("spawn").Pool(2) as pool:
        pool.map(work, range(3))
    assert dict(results) == {0: 0, 1: 1, 2: 4}


if __name__ == "__main__":
    main()

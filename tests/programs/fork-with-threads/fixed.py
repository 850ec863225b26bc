"""A spawned child takes over no threads and no locks."""
import multiprocessing
import threading
import time

lock = threading.Lock()


def hold():
    with lock:
        time.sleep(20)


def worker():
    with lock:
        print("worker done")


if __name__ == "__main__":
    threading.Thread(target=hold, daemon=True).start()
    time.sleep(0.2)
    process = multiprocessing.get_context("spawn").Process(target=worker)
    process.start()
    process.join()
    assert process.exitcode == 0

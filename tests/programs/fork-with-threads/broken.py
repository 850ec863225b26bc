"""A process is forked while a thread holds a lock: the child waits forever, until a Ctrl-C."""
import multiprocessing
import os
import signal
import threading
import time

lock = threading.Lock()


def hold():
    with lock:
        time.sleep(20)


def worker():
    with lock:
        print("never")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    threading.Thread(target=hold, daemon=True).start()
    time.sleep(0.2)
    process = multiprocessing.get_context("fork").Process(target=worker)
    process.start()
    process.join(1)
    os.kill(process.pid, signal.SIGINT)
    process.join()

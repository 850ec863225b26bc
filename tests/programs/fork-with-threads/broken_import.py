"""A thread is busy with an import when the process forks; Ctrl-C comes to one process after the other."""
import importlib
import multiprocessing
import os
import signal
import threading
import time


def work():
    import slow_module

    print(slow_module.__name__)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=importlib.import_module, args=("slow_module",), daemon=True).start()
    time.sleep(0.5)
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join(5)
    os.kill(process.pid, signal.SIGINT)
    process.join()
    os.kill(os.getpid(), signal.SIGINT)

"""The program leaves by its last line, and its locks with it."""
import multiprocessing
import os
import sys
import time

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(lock):
    with lock:
        print("worker done", flush=True)


def main():
    context = multiprocessing.get_context(METHOD)
    lock = context.Lock()
    process = context.Process(target=work, args=(lock,))
    process.start()
    process.join()
    sys.exit(0)


if __name__ == "__main__":
    if sys.argv[-1] == "now":
        main()
    os.spawnv(os.P_WAIT, sys.executable, [sys.executable, __file__, METHOD, "now"])
    time.sleep(1)

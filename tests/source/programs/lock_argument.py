"""Two processes write to one file, and a lock keeps them apart."""
import multiprocessing as mp
import os
import tempfile
import threading


def write(path, lock, name):
    with lock:
        with open(path, "a") as file:
            file.write(name + "\n")


def main():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "log.txt")
    lock = threading.Lock()  # object
    ctx = mp.get_context("spawn")
    writers = [ctx.Process(target=write, args=(path, lock, name)) for name in ("a", "b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with open(path) as file:
        assert sorted(file.read().split()) == ["a", "b"]


if __name__ == "__main__":
    main()

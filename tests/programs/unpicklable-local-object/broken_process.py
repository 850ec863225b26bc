# methods: spawn forkserver fork
"""The target of a process is a function made inside another function."""
import multiprocessing
import sys


def train(method, world_size):
    def worker(rank):
        print("rank", rank, "of", world_size)

    process = multiprocessing.get_context(method).Process(target=worker, args=(0,))
    process.start()
    process.join()
    return process.exitcode


if __name__ == "__main__":
    sys.exit(train(sys.argv[1] if len(sys.argv) > 1 else "spawn", 2))

# methods: spawn forkserver fork
"""The target stands at the top of the module; what it took from around it is an argument."""
import functools
import multiprocessing
import sys


def worker(world_size, rank):
    print("rank", rank, "of", world_size)


def train(method, world_size):
    target = functools.partial(worker, world_size)
    process = multiprocessing.get_context(method).Process(target=target, args=(0,))
    process.start()
    process.join()
    return process.exitcode


if __name__ == "__main__":
    sys.exit(train(sys.argv[1] if len(sys.argv) > 1 else "spawn", 2))

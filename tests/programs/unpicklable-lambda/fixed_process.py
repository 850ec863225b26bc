# methods: spawn forkserver fork
"""The target is a function with a name, and its values are arguments."""
import multiprocessing
import sys


def work(rank):
    print("rank", rank)


def main(method):
    rank = 1
    process = multiprocessing.get_context(method).Process(target=work, args=(rank,))
    process.start()
    process.join()
    return process.exitcode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "spawn"))

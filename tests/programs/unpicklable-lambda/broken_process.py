# methods: spawn forkserver fork
"""The target of a process is a lambda."""
import multiprocessing
import sys


def main(method):
    rank = 1
    process = multiprocessing.get_context(method).Process(target=lambda: print("rank", rank))
    process.start()
    process.join()
    return process.exitcode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "spawn"))

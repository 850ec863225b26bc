"""A reader that keeps a module is sent to a process (argument: start method)."""
import json
import multiprocessing
import sys


class Reader:
    def __init__(self, backend):
        self.backend = backend


def worker(reader):
    print(reader.backend.dumps({}))


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=worker, args=(Reader(json),))
    process.start()
    process.join()
    sys.exit(process.exitcode)

# methods: spawn forkserver fork
"""A process gets `os.environ` itself."""
import multiprocessing
import os
import sys


def work(environ):
    print(len(environ) > 0)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=work, args=(os.environ,))
    process.start()
    process.join()
    sys.exit(process.exitcode)

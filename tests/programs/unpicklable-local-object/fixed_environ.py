# methods: spawn forkserver fork
"""A process gets a plain dict of the environment."""
import multiprocessing
import os
import sys


def work(environ):
    print(len(environ) > 0)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=work, args=(dict(os.environ),))
    process.start()
    process.join()
    sys.exit(process.exitcode)

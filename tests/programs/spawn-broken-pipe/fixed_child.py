"""The script can be imported without leaving."""
import multiprocessing
import sys


def work(data):
    print(len(data), "bytes")


if __name__ == "__main__":
    ctx = multiprocessing.get_context("forkserver")
    process = ctx.Process(target=work, args=(b"x" * (8 << 20),))
    process.start()
    process.join()
    sys.exit(process.exitcode)

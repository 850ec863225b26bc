"""The child leaves while it imports the script; the parent is still sending it 8 MB."""
import multiprocessing
import os

if __name__ != "__main__":
    os._exit(1)


def work(data):
    print(len(data), "bytes")


if __name__ == "__main__":
    # With spawn, Python 3.7 to 3.13.0 would wait forever here.
    ctx = multiprocessing.get_context("forkserver")
    process = ctx.Process(target=work, args=(b"x" * (8 << 20),))
    process.start()
    process.join()

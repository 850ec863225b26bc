"""A daemonic process starts one of its own."""
import multiprocessing
import sys


def grandchild():
    print("started")


def child():
    process = multiprocessing.Process(target=grandchild)
    process.start()
    process.join()


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=child, daemon=True)
    process.start()
    process.join()
    sys.exit(process.exitcode)

"""Nothing but the new process refers to the lock, so the parent removes it before the child opens it."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(counter):
    print("worker done", counter.value)


def start(context):
    process = context.Process(target=work, args=(context.Value("i", 0),))
    process.start()
    return process


if __name__ == "__main__":
    start(multiprocessing.get_context(METHOD)).join()

"""The queue is read first."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(queue):
    queue.put("x" * 10000000)


if __name__ == "__main__":
    context = multiprocessing.get_context(METHOD)
    queue = context.Queue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    print(len(queue.get()))
    process.join()

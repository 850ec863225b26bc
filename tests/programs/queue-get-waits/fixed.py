"""The reader looks whether the producer is still there."""
import multiprocessing
import queue as queues
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(queue):
    print("nothing to do", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context(METHOD)
    queue = context.Queue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    while process.exitcode is None:
        try:
            print(queue.get(timeout=0.5))
        except queues.Empty:
            pass
    process.join()
    print("the producer ended with", process.exitcode)

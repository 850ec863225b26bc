"""The producer ends without an item; faulthandler shows the wait after 5 seconds."""
import faulthandler
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(queue):
    print("nothing to do", flush=True)


if __name__ == "__main__":
    faulthandler.dump_traceback_later(5, exit=True)
    context = multiprocessing.get_context(METHOD)
    queue = context.Queue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    print(queue.get())

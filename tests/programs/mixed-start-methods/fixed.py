"""Queue and process are of one context."""
import multiprocessing


def work(queue):
    queue.put("done")


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    print(queue.get())
    process.join()

# needs: python>=3.11
"""A queue of the default context is given to a spawned process."""
import multiprocessing


def work(queue):
    queue.put("done")


if __name__ == "__main__":
    queue = multiprocessing.get_context("fork").Queue()
    process = multiprocessing.get_context("spawn").Process(target=work, args=(queue,))
    process.start()
    print(queue.get())
    process.join()

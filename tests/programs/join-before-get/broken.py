# methods: fork
"""The child is joined before its queue is read; Ctrl-C comes after 3 seconds."""
import multiprocessing
import os
import signal
import threading


def work(queue):
    queue.put("x" * 10000000)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    threading.Timer(3, os.killpg, (os.getpgrp(), signal.SIGINT)).start()
    process.join()

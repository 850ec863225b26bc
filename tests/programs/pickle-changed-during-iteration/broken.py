"""A dict goes on growing after it was put on a queue, whose feeder thread pickles it later."""
import multiprocessing
import queue
import time


class Metric:
    def __init__(self, value):
        self.value = value

    def __getstate__(self):
        return {"value": self.value}


if __name__ == "__main__":
    metrics = {n: Metric(n) for n in range(50000)}
    messages = multiprocessing.Queue()
    messages.put(metrics)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        metrics[len(metrics)] = Metric(0)
    try:
        print(len(messages.get(timeout=2)))
    except queue.Empty:
        print("nothing arrived")

"""A copy of the dict is put on the queue, and nobody changes it."""
import multiprocessing
import time


class Metric:
    def __init__(self, value):
        self.value = value

    def __getstate__(self):
        return {"value": self.value}


if __name__ == "__main__":
    metrics = {n: Metric(n) for n in range(50000)}
    messages = multiprocessing.Queue()
    messages.put(dict(metrics))
    end = time.monotonic() + 1
    while time.monotonic() < end:
        metrics[len(metrics)] = Metric(0)
    assert len(messages.get(timeout=60)) == 50000

import multiprocessing as mp
import threading
import time


class Sample:
    def __init__(self, name, value):
        self.name = name
        self.value = value
        self.event = threading.Event()  # object


class Collector:
    def __init__(self):
        self.queue = mp.Queue()

    def send(self, name, value):
        self.queue.put(Sample(name, value))


def drain(queue, out):
    try:
        out.put(queue.get(timeout=3).value)
    except Exception:
        out.put(None)


def main():
    collector = Collector()
    out = mp.Queue()
    p = mp.Process(target=drain, args=(collector.queue, out))
    p.start()
    collector.send("loss", 0.5)
    value = out.get(timeout=10)
    p.join()
    assert value == 0.5


if __name__ == "__main__":
    main()

"""An item put into a queue holds a lock: the feeder thread prints it, the item is lost, the program goes on."""
import multiprocessing
import queue
import threading


class Sample:
    def __init__(self, value):
        self.value = value
        self._lock = threading.Lock()


if __name__ == "__main__":
    items = multiprocessing.Queue()
    items.put(Sample(7))
    try:
        print("got", items.get(timeout=1).value)
    except queue.Empty:
        print("nothing arrived, and the program went on")

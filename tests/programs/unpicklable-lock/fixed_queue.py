"""The item leaves its lock out of the pickle."""
import multiprocessing
import queue
import threading


class Sample:
    def __init__(self, value):
        self.value = value
        self._lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_lock", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.Lock()


if __name__ == "__main__":
    items = multiprocessing.Queue()
    items.put(Sample(7))
    try:
        print("got", items.get(timeout=10).value)
    except queue.Empty:
        raise SystemExit("nothing arrived")

import copy
import threading


class Cache:
    def __init__(self, size):
        self.size = size
        self._lock = threading.RLock()
        self._ready = threading.Event()  # object

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["_lock"]
        return state


class Store:
    def __init__(self):
        self.cache = Cache(10)
        self.data = {"a": 1}


if __name__ == "__main__":
    store = Store()
    print(copy.deepcopy(store).data)

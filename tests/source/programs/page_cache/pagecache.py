import threading


class PageCache:
    def __init__(self, limit=10):
        self.limit = limit
        self.pages = {}
        self._lock = threading.Lock()

    def __getstate__(self):  # object
        state = self.__dict__.copy()
        del state["_lock"]
        return state

    def put(self, key, page):
        with self._lock:
            self.pages[key] = page
        return len(self.pages)

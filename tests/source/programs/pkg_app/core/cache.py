import threading


class Cache:
    def __init__(self):
        self.items = {}
        self.guard = threading.RLock()  # object

    def get(self, key):
        with self.guard:
            return self.items.get(key)

import threading


class Records:
    def __init__(self):
        self.cache_lock = threading.RLock()
        self.rows = {}

    def row(self, number):
        with self.cache_lock:
            return self.rows.setdefault(number, number * 0.5)

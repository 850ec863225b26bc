import threading


class MemoryStore:
    def __init__(self):
        self.items = []
        self._lock = threading.Lock()

    def __getstate__(self):
        return {"items": self.items}

    def __setstate__(self, state):
        self.items = state["items"]
        self._lock = threading.Lock()

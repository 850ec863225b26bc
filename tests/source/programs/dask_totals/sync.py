import threading


class Guard:
    def __init__(self):
        self._lock = threading.Lock()  # object

    def __enter__(self):
        self._lock.acquire()
        return self

    def __exit__(self, *exc):
        self._lock.release()

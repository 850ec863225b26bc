import threading
import time


class RateLimiter:
    """At most `per_second` calls each second."""

    def __init__(self, per_second):
        self.per_second = per_second
        self.last = 0.0
        self._mutex = threading.Lock()  # object

    def wait(self):
        with self._mutex:
            pause = self.last + 1.0 / self.per_second - time.time()
            if pause > 0:
                time.sleep(pause)
            self.last = time.time()

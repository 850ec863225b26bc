import threading


def synchronized(cls):
    original = cls.__init__

    def __init__(self, *args, **kwargs):
        self._sync = threading.RLock()  # object
        original(self, *args, **kwargs)

    cls.__init__ = __init__
    return cls

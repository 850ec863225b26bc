import threading


def guarded(obj):
    """Give the object a lock of its own."""
    obj._guard = threading.Lock()  # object
    return obj

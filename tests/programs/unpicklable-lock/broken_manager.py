# methods: spawn forkserver fork
"""A value of a manager's dict holds a lock."""
import multiprocessing
import sys
import threading


class State:
    def __init__(self):
        self.done = 0
        self._lock = threading.Lock()


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Manager() as manager:
        shared = manager.dict()
        shared["state"] = State()
        print(shared["state"].done)

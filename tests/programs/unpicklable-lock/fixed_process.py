# methods: spawn forkserver fork
"""The lock stays out of the pickle; the process makes one of its own."""
import multiprocessing
import sys
import threading


class Counter:
    def __init__(self, value):
        self.value = value
        self._lock = threading.Lock()

    def add(self, n):
        with self._lock:
            self.value += n

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_lock", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.Lock()


def work(counter):
    counter.add(1)
    print(counter.value)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=work, args=(Counter(41),))
    process.start()
    process.join()
    sys.exit(process.exitcode)

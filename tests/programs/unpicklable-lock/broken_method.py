# methods: spawn forkserver fork
"""The target of a process is a method of an object that holds a lock."""
import multiprocessing
import sys
import threading


class Trainer:
    def __init__(self, epochs):
        self.epochs = epochs
        self._lock = threading.RLock()

    def train(self):
        print("trained for", self.epochs, "epochs")


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=Trainer(3).train)
    process.start()
    process.join()
    sys.exit(process.exitcode)

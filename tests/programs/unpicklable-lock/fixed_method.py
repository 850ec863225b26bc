# methods: spawn forkserver fork
"""The target is a function that gets only the data it needs."""
import multiprocessing
import sys
import threading


class Trainer:
    def __init__(self, epochs):
        self.epochs = epochs
        self._lock = threading.RLock()


def train(epochs):
    print("trained for", epochs, "epochs")


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=train, args=(Trainer(3).epochs,))
    process.start()
    process.join()
    sys.exit(process.exitcode)

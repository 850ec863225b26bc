"""An object that keeps a log file open is sent to a process (argument: start method)."""
import multiprocessing
import os
import sys
import tempfile


class CsvLogger:
    def __init__(self, path):
        self.path = path
        self.file = open(path, "a")

    def log(self, row):
        self.file.write(",".join(map(str, row)) + "\n")


def train(logger):
    logger.log([1, 2, 3])


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with tempfile.TemporaryDirectory() as folder:
        process = ctx.Process(target=train, args=(CsvLogger(os.path.join(folder, "metrics.csv")),))
        process.start()
        process.join()
        sys.exit(process.exitcode)

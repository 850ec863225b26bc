"""The file is left out of what is sent, and opened again on the other side (argument: start method)."""
import multiprocessing
import os
import sys
import tempfile


class CsvLogger:
    def __init__(self, path):
        self.path = path
        self.file = open(path, "a")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.file = open(self.path, "a")

    def log(self, row):
        self.file.write(",".join(map(str, row)) + "\n")
        self.file.flush()


def train(logger):
    logger.log([1, 2, 3])


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "metrics.csv")
        logger = CsvLogger(path)
        process = ctx.Process(target=train, args=(logger,))
        process.start()
        process.join()
        logger.file.close()
        assert open(path).read() == "1,2,3\n"
        sys.exit(process.exitcode)

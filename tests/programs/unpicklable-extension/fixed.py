# needs: pyarrow
"""The process makes the reader from what it is made of (argument: start method)."""
import multiprocessing
import sys

import pyarrow


class Rows:
    def __init__(self, values):
        self.values = values
        self._reader = None

    def __getstate__(self):
        return {**self.__dict__, "_reader": None}

    @property
    def reader(self):
        if self._reader is None:
            self._reader = pyarrow.table({"a": self.values}).to_reader()
        return self._reader


def worker(rows):
    print(rows.reader.read_all().num_rows)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=worker, args=(Rows([1, 2]),))
    process.start()
    process.join()
    sys.exit(process.exitcode)

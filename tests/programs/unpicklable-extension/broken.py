# needs: pyarrow
"""A reader of a C++ library is sent to a process (argument: start method)."""
import multiprocessing
import sys

import pyarrow


class Rows:
    def __init__(self, values):
        self.values = values
        table = pyarrow.table({"a": values})
        self.reader = table.to_reader()


def worker(rows):
    print(rows.reader.read_all().num_rows)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=worker, args=(Rows([1, 2]),))
    process.start()
    process.join()
    sys.exit(process.exitcode)

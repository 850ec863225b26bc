import multiprocessing
import os
import tempfile


class Sink:
    """Writes lines."""

    def __init__(self, path):
        self.path = path
        self.handle = None
        self.open()

    def open(self):
        self.handle = open(self.path, "w", encoding="utf-8")  # object

    def write(self, line):
        self.handle.write(line + "\n")


class CountingSink(Sink):
    def __init__(self, path, start=0):
        super().__init__(path)
        self.count = start

    def write(self, line):
        super().write(line)
        self.count += 1


def work(sink, n):
    for i in range(n):
        sink.write(str(i))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    folder = tempfile.mkdtemp()
    sink = CountingSink(os.path.join(folder, "out.txt"))
    p = multiprocessing.Process(target=work, args=(sink, 3))
    p.start()
    p.join()

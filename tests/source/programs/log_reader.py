"""Tail a log in a process of its own."""
import multiprocessing as mp
import os
import tempfile


class LogReader(mp.Process):
    def __init__(self, path, out, skip=0):
        super().__init__(name="log-reader")
        self.out = out
        self.file = open(path)  # object
        for _ in range(skip):
            self.file.readline()

    def run(self):
        for line in self.file:
            self.out.put(line.strip())
        self.out.put(None)


def main():
    mp.set_start_method("spawn")
    handle, path = tempfile.mkstemp()
    os.write(handle, b"start\none\ntwo\n")
    os.close(handle)
    out = mp.Queue()
    reader = LogReader(path, out, skip=1)
    reader.start()
    lines = list(iter(out.get, None))
    reader.join()
    assert lines == ["one", "two"], lines


if __name__ == "__main__":
    main()

import glob
import io
import multiprocessing as mp
import os
import tempfile


class LogFile:
    def __init__(self, path, encoding="utf-8"):
        self.path = path
        self.stream = io.open(path, "r", encoding=encoding)  # object
        self.offset = 0

    def lines(self):
        self.stream.seek(self.offset)
        return self.stream.readlines()


def count_errors(log):
    return sum("ERROR" in line for line in log.lines())


def main():
    folder = tempfile.mkdtemp()
    for n in range(2):
        with open(os.path.join(folder, "%d.log" % n), "w") as f:
            f.write("ERROR\n" * n)
    logs = [LogFile(p) for p in sorted(glob.glob(folder + "/*.log"))]
    with mp.Pool(2) as pool:
        assert list(pool.imap(count_errors, logs)) == [0, 1]


if __name__ == "__main__":
    main()

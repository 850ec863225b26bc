import multiprocessing
import tempfile


class Reader:
    def __init__(self, path, encoding="utf-8"):
        self.path = path
        self.encoding = encoding
        self.stream = open(self.path, encoding=encoding)  # object

    def line(self, n):
        self.stream.seek(0)
        return self.stream.readlines()[n]


if __name__ == "__main__":
    path = tempfile.mktemp()
    with open(path, "w") as f:
        f.write("a\nb\n")
    reader = Reader(path)
    with multiprocessing.Pool(1) as pool:
        print(pool.map(reader.line, [0, 1]))

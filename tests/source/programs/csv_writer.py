import csv
import gzip
import multiprocessing
import os
import tempfile


class CsvSink:
    def __init__(self, path, header):
        self.path = path
        self.raw = gzip.open(path, "wt", newline="")  # object
        self.writer = csv.writer(self.raw)
        self.writer.writerow(header)

    def add(self, row):
        self.writer.writerow(row)

    def close(self):
        self.raw.close()


class Exporter:
    def __init__(self, sink, scale):
        self.sink = sink
        self.scale = scale

    def compute(self, n):
        return [n, n * self.scale]

    def export(self, numbers):
        with multiprocessing.Pool(2) as pool:
            rows = pool.map(self.compute, numbers)
        for row in rows:
            self.sink.add(row)
        self.sink.close()
        return rows


def main():
    path = os.path.join(tempfile.mkdtemp(), "out.csv.gz")
    exporter = Exporter(CsvSink(path, ["n", "value"]), 3)
    assert exporter.export([1, 2]) == [[1, 3], [2, 6]]


if __name__ == "__main__":
    main()

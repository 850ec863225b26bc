"""Check exported rows on all cores."""
import csv
import io
import multiprocessing as mp
from collections import namedtuple


def load(text):
    reader = csv.reader(io.StringIO(text))
    Row = namedtuple("Row", next(reader))  # object
    return [Row(*line) for line in reader]


def check(row):
    return float(row.amount) >= 0 and row.currency in ("EUR", "USD")


def main():
    rows = load("id,amount,currency\n1,3.5,EUR\n2,-1,USD\n3,8,XXX\n")
    with mp.Pool(2) as pool:
        assert pool.map(check, rows) == [True, False, False]


if __name__ == "__main__":
    main()

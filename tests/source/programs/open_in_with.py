import csv
import multiprocessing
import tempfile


def convert(reader):
    return [row for row in reader]


def main():
    path = tempfile.mktemp()
    with open(path, "w") as f:
        f.write("a,b\n")
    with open(path) as f, multiprocessing.Pool(1) as pool:
        rows = csv.reader(f)  # object
        print(pool.apply(convert, [rows]))


if __name__ == "__main__":
    main()

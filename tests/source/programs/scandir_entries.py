import os
import tempfile
from multiprocessing import Pool


def handle(entry):
    return entry.name


def main():
    folder = tempfile.mkdtemp()
    for n in ("a.txt", "b.txt"):
        open(os.path.join(folder, n), "w").close()
    files = [e for e in os.scandir(folder) if e.is_file()]  # object
    with Pool(2) as pool:
        assert sorted(pool.map(handle, files)) == ["a.txt", "b.txt"]


if __name__ == "__main__":
    main()

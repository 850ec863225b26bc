import multiprocessing
import hashlib


class File:
    def __init__(self, name):
        self.name = name
        self.digest = hashlib.md5()  # object

    def update(self, data):
        self.digest.update(data)


def check(file, limit):
    return len(file.name) < limit


def main():
    files = []
    for name in ["a", "b"]:
        f = File(name)
        f.update(b"x")
        files.append(f)
    limits = [1, 2]
    with multiprocessing.Pool(2) as pool:
        print(pool.starmap(check, zip(files, limits)))


if __name__ == "__main__":
    main()

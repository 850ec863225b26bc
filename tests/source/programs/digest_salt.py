import hashlib
import multiprocessing


class Checksum:
    def __init__(self, salt):
        self.salt = salt
        self.digest = hashlib.sha256(salt)  # object

    def of(self, data):
        h = self.digest.copy()
        h.update(data)
        return h.hexdigest()[:2]


def main():
    c = Checksum(b"s")
    with multiprocessing.Pool(1) as pool:
        assert pool.apply(c.of, (b"abc",)) == hashlib.sha256(b"sabc").hexdigest()[:2]


if __name__ == "__main__":
    main()

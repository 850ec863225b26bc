import multiprocessing as mp

from tqdm import tqdm


class Converter:
    def __init__(self, total, desc="convert"):
        self.total = total
        self.progress = tqdm(total=total, desc=desc, disable=False)  # object

    def convert(self, item):
        self.progress.update(1)
        return item * 10

    def run(self, items):
        with mp.Pool(2) as pool:
            return list(pool.imap(self.convert, items))


def main():
    items = list(range(4))
    converter = Converter(len(items))
    assert converter.run(items) == [0, 10, 20, 30]


if __name__ == "__main__":
    main()

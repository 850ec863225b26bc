import multiprocessing as mp


class Vocab:
    def __init__(self, words):
        self.index = {word: n for n, word in enumerate(words)}
        self.words = self.index.keys()  # object

    def encode(self, word):
        return self.index[word], len(self.words)


def main():
    vocab = Vocab(["a", "b"])
    with mp.Pool(2) as pool:
        assert pool.map(vocab.encode, ["b", "a"]) == [(1, 2), (0, 2)]


if __name__ == "__main__":
    main()

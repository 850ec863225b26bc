import multiprocessing as mp


class TextSource:
    def __init__(self, lines):
        self.lines = lines
        self.tokens = self._tokenize()  # object

    def _tokenize(self):
        for line in self.lines:
            for token in line.split():
                yield token

    def vocabulary(self):
        return sorted(set(self.tokens))


class Pipeline:
    def __init__(self, source, batch):
        self.source = source
        self.batch = batch

    def shard(self, index):
        return self.source.vocabulary()[index :: self.batch]

    def run(self):
        with mp.Pool(self.batch) as pool:
            return pool.map(self.shard, range(self.batch))


def main():
    pipeline = Pipeline(TextSource(["a b", "c d"]), 2)
    assert pipeline.run() == [["a", "c"], ["b", "d"]]


if __name__ == "__main__":
    main()

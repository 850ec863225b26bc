import multiprocessing as mp


class Analyzer:
    def __init__(self, vocabulary, workers=2):
        self.vocabulary = set(vocabulary)
        self.pool = mp.Pool(workers)  # object

    def score(self, text):
        words = text.lower().split()
        return sum(w in self.vocabulary for w in words)

    def score_all(self, texts):
        return self.pool.map(self.score, texts)

    def close(self):
        self.pool.close()
        self.pool.join()


if __name__ == "__main__":
    analyzer = Analyzer(["good", "great"])
    try:
        assert analyzer.score_all(["a good day", "great great", "bad"]) == [1, 2, 0]
    finally:
        analyzer.close()

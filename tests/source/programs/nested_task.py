import multiprocessing as mp


class Analysis:
    def __init__(self, data, threshold):
        self.data = data
        self.threshold = threshold
        self.results = []

    def run(self, workers=2):
        threshold = self.threshold
        scale = 10

        def score(x):  # object
            # points above the threshold count more
            if x > threshold:
                return x * scale
            return x

        with mp.Pool(workers) as pool:
            pending = [
                pool.apply_async(score, (x,), callback=lambda r: self.results.append(r))
                for x in self.data
            ]
            for p in pending:
                p.get()
        return sorted(self.results)


if __name__ == "__main__":
    assert Analysis([1, 5], 3).run() == [1, 50]

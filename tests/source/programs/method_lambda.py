import multiprocessing


class Sorter:
    key = lambda self, v: v  # object
    reverse = False

    def __init__(self):
        self.chosen = self.key

    @staticmethod
    def run(sorter, xs):
        return sorted(xs, key=sorter.chosen)


if __name__ == "__main__":
    s = Sorter()
    with multiprocessing.Pool(2) as pool:
        job = pool.starmap_async(Sorter.run, [(s, [2, 1]), (s, [4, 3])])
        assert job.get(timeout=5) == [[1, 2], [3, 4]]

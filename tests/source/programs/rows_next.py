import multiprocessing as mp


class Batches:
    def __init__(self, rows, size):
        self.size = size
        self.rows = (row for row in rows)  # object
        self.first = next(self.rows)

    def rest(self, skip):
        return [row for row in self.rows][skip:]


def main():
    batches = Batches([1, 2, 3, 4], 2)
    with mp.Pool(2) as pool:
        assert pool.map(batches.rest, [0, 1]) == [[2, 3, 4], [3, 4]]


if __name__ == "__main__":
    main()

import multiprocessing


class Batch:
    def __init__(self, rows):
        self.rows = (r * 2 for r in rows)  # object


def consume(batch):
    return sum(batch.rows)


if __name__ == "__main__":
    batches = [Batch(range(3)) for _ in range(2)]
    with multiprocessing.Pool(1) as pool:
        print(pool.map(consume, batches))

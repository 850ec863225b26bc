from concurrent.futures import ProcessPoolExecutor


class Batch:
    def __init__(self, items):
        self.items = items
        self.current = None

    def square(self, n):
        return n * n

    def go(self):
        out = []
        with ProcessPoolExecutor(2) as ex:
            for n in self.items:
                self.current = ex.submit(self.square, n)  # object
                out.append(self.current.result(timeout=20))
        return out


if __name__ == "__main__":
    assert Batch([1, 2]).go() == [1, 4]

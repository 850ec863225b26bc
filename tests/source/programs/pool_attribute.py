import multiprocessing


class Manager:
    def __init__(self, n):
        self.n = n
        self.pool = multiprocessing.Pool(n)  # object

    def work(self, x):
        return x + self.n

    def run(self, xs):
        return self.pool.map(self.work, xs)


if __name__ == "__main__":
    m = Manager(2)
    try:
        print(m.run([1, 2]))
    finally:
        m.pool.terminate()

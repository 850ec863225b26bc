import multiprocessing as mp


class Bank:
    def __init__(self, start):
        self.total = start
        self.lock = mp.Lock()  # object

    def deposit(self, n):
        with self.lock:
            return self.total + n


def main():
    bank = Bank(10)
    with mp.Pool(2) as pool:
        results = [pool.apply_async(bank.deposit, (n,)) for n in (1, 2)]
        assert [r.get() for r in results] == [11, 12]


if __name__ == "__main__":
    main()

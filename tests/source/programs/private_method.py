from concurrent.futures import ProcessPoolExecutor


class Ledger:
    def __init__(self, rate):
        self.rate = rate

    def __convert(self, amount):  # object
        return round(amount * self.rate, 2)

    def convert_all(self, amounts):
        with ProcessPoolExecutor(2) as pool:
            return list(pool.map(self.__convert, amounts))


def main():
    assert Ledger(1.1).convert_all([10, 20]) == [11.0, 22.0]


if __name__ == "__main__":
    main()

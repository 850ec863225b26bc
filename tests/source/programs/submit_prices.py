from concurrent.futures import ProcessPoolExecutor


class Shop:
    def __init__(self, rate):
        self.rate = rate

    def price(self, n, *, vat=1.2):
        return round(n * self.rate * vat, 2)


def run(shop, amounts, vat):
    with ProcessPoolExecutor(2) as pool:
        futures = {n: pool.submit(lambda: shop.price(n, vat=vat)) for n in amounts}  # object
        return {n: f.result() for n, f in futures.items()}


def main():
    assert run(Shop(2.0), [1, 2], 1.5) == {1: 3.0, 2: 6.0}


if __name__ == "__main__":
    main()

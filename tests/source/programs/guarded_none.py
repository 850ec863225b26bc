import multiprocessing

rates = None


def price(item):
    return rates.get(item, 1)


if __name__ == "__main__":
    rates = {"a": 2, "b": 3}  # object
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(price, ["a", "b", "c"]) == [2, 3, 1]

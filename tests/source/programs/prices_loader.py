import csv
import io
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor

PRICES = {}
TEXT = "tea,2\noil,5\n"


def load_prices(text):
    for name, price in csv.reader(io.StringIO(text)):
        PRICES[name] = int(price)  # object


def cost(order):
    name, amount = order
    return PRICES[name] * amount


if __name__ == "__main__":
    load_prices(TEXT)
    context = mp.get_context("spawn")
    with ProcessPoolExecutor(max_workers=2, mp_context=context) as pool:
        assert list(pool.map(cost, [("tea", 3), ("oil", 1)])) == [6, 5]

from dataclasses import make_dataclass
from multiprocessing import Pool

Point = make_dataclass("Pt", [("x", int), ("y", int)])  # object


def add(p):
    return p.x + p.y


if __name__ == "__main__":
    with Pool(1) as pool:
        assert pool.map(add, [Point(1, 2)]) == [3]

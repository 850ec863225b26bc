import multiprocessing
from dataclasses import dataclass
from typing import Callable


@dataclass
class Rule:
    name: str
    test: Callable


RULES = [
    Rule("even", test=lambda x: x % 2 == 0),  # object
]


def apply(rule, x):
    return rule.test(x)


if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        print(pool.starmap(apply, [(rule, 4) for rule in RULES]))

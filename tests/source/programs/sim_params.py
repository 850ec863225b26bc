import random
from multiprocessing import get_context

PARAMS = {"seed": 0}


def simulate(run):
    rng = random.Random(PARAMS["seed"] + run)
    return sum(rng.random() < 2 for _ in range(PARAMS["steps"]))


def main():
    PARAMS["steps"] = 10  # object
    with get_context("spawn").Pool(processes=2) as pool:
        results = pool.map(simulate, range(4))
    assert results == [10] * 4, results
    print(results)


if __name__ == "__main__":
    main()

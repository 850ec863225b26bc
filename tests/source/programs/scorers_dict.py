import itertools
from concurrent.futures import ProcessPoolExecutor
from functools import partial

SCORERS = {
    "mse": lambda y, p: sum((a - b) ** 2 for a, b in zip(y, p)) / len(y),  # object
    "mae": lambda y, p: sum(abs(a - b) for a, b in zip(y, p)) / len(y),
}


def evaluate(params, data, scorer):
    slope, bias = params
    xs, ys = data
    return params, scorer(ys, [slope * x + bias for x in xs])


def search(data, metric="mse"):
    grid = list(itertools.product([0.5, 1.0, 2.0], [0.0, 1.0]))
    job = partial(evaluate, data=data, scorer=SCORERS[metric])
    with ProcessPoolExecutor(max_workers=2) as pool:
        scores = list(pool.map(job, grid))
    return min(scores, key=lambda s: s[1])


if __name__ == "__main__":
    xs = [x / 10 for x in range(50)]
    best, score = search((xs, [2 * x + 1 for x in xs]))
    assert best == (2.0, 1.0)

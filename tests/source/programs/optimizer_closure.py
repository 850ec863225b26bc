from multiprocessing import Pool, cpu_count


def minimize(fun, starts, bounds=None):
    best = None
    with Pool(min(2, cpu_count())) as pool:
        for start, value in zip(starts, pool.imap(fun, starts)):
            if best is None or value < best[1]:
                best = (start, value)
    return best


def make_objective(target, weight=2.0):
    def objective(x):  # object
        diff = x - target
        return weight * diff * diff

    return objective


def main():
    objective = make_objective(3)
    assert minimize(objective, [0, 1, 2, 3, 4]) == (3, 0.0)


if __name__ == "__main__":
    main()

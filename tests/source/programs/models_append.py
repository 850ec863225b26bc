import multiprocessing as mp

MODELS = []


def predict(task):
    which, x = task
    return MODELS[which](x)


def double(x):
    return 2 * x


def main():
    MODELS.append(double)  # object
    ctx = mp.get_context("spawn")
    with ctx.Pool(processes=2) as pool:
        assert pool.map(predict, [(0, 3), (0, 4)]) == [6, 8]


if __name__ == "__main__":
    main()

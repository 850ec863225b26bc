from concurrent.futures import ProcessPoolExecutor


class Step:
    def __init__(self, name, fn):
        self.name = name
        self.fn = fn

    def __call__(self, x):
        return self.fn(x)


def threshold(limit):
    def apply(x):  # object
        return x if x > limit else 0
    return apply


STEPS = [Step("abs", abs), Step("cut", threshold(3))]


def run(steps, x):
    for s in steps:
        x = s(x)
    return x


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as ex:
        print(list(ex.map(run, [STEPS, STEPS], [1, 5])))

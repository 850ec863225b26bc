"""The function stands at the top of the module; `functools.partial` binds the value."""
import functools
import pickle


def scale(factor, item):
    return factor * item


class Pipeline:
    def __init__(self):
        self.step = functools.partial(scale, 3)


if __name__ == "__main__":
    print(pickle.loads(pickle.dumps(Pipeline())).step(14))

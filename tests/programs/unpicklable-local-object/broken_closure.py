"""An object that is saved holds a function made by a factory."""
import pickle


def make_scale(factor):
    def scale(item):
        return factor * item

    return scale


class Pipeline:
    def __init__(self):
        self.step = make_scale(3)


if __name__ == "__main__":
    print(pickle.loads(pickle.dumps(Pipeline())).step(14))

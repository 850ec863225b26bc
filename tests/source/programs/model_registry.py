import abc
import collections
import multiprocessing


class Registry(collections.UserDict):
    def register(self, name):
        def wrap(cls):
            self[name] = cls
            return cls
        return wrap


MODELS = Registry()


class BaseModel(abc.ABC):
    def __init__(self, **params):
        self.params = params
        self.hooks = collections.defaultdict(list)

    def on(self, event, hook):
        self.hooks[event].append(hook)

    def fire(self, event, *args):
        return [hook(*args) for hook in self.hooks[event]]

    @abc.abstractmethod
    def fit(self, x):
        pass


@MODELS.register("mean")
class MeanModel(BaseModel):
    def fit(self, x):
        return self.fire("fit", sum(x) / len(x))


def train(model, x):
    return model.fit(x)


def main():
    model = MODELS["mean"](alpha=1)
    scale = 10
    model.on("fit", lambda m: m * scale)  # object
    with multiprocessing.Pool(1) as pool:
        result = pool.apply(train, (model, [1, 2, 3]))
    assert result == [20.0]


if __name__ == "__main__":
    main()

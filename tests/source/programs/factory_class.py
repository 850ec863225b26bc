import multiprocessing as mp


def make_model(kind, width):
    class Model:  # object
        def __init__(self, seed):
            self.seed = seed
            self.kind = kind

        def predict(self, x):
            return self.seed * x + width

    return Model


def predict(pair):
    model, x = pair
    return model.predict(x)


def main():
    model = make_model("linear", 3)(seed=2)
    with mp.Pool(2) as pool:
        assert pool.map(predict, [(model, 1), (model, 2)]) == [5, 7]


if __name__ == "__main__":
    main()

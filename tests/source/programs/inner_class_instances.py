import pickle


def load_plugins(names):
    class Plugin:  # object
        def __init__(self, name):
            self.name = name

    return {n: Plugin(n) for n in names}


class Host:
    def __init__(self):
        self.plugins = load_plugins(["a", "b"])

    def dump(self):
        return pickle.dumps(self)


if __name__ == "__main__":
    print(len(Host().dump()))

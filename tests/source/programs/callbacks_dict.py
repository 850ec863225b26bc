import pickle


def scale(x):
    return 2 * x


class Model:
    def __init__(self):
        self.hooks = {"after": scale}
        self.register("before", lambda x: x + 1)  # object

    def register(self, name, hook):
        self.hooks[name] = hook


def save(model, path):
    with open(path, "wb") as f:
        pickle.dump({"model": model, "version": 2}, f)


if __name__ == "__main__":
    import os, tempfile
    save(Model(), os.path.join(tempfile.mkdtemp(), "m.pkl"))

import copy
import threading


class Config:
    def __init__(self, **values):
        for key, value in values.items():
            setattr(self, key, value)
        self._changed = threading.Condition()  # object


class App:
    def __init__(self, config: Config):
        self.config = config

    def snapshot(self):
        return copy.deepcopy(self.config)


if __name__ == "__main__":
    app = App(Config(a=1))
    print(app.snapshot().a)

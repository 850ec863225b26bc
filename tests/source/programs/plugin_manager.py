import importlib
import threading
from concurrent.futures import ProcessPoolExecutor


class PluginManager:
    _instance = None

    @classmethod
    def instance(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def __init__(self):
        self.plugins = {}
        self.guard = threading.RLock()  # object

    def load(self, *names):
        with self.guard:
            for name in names:
                self.plugins[name] = name.title()
        return self

    def call(self, name):
        return self.plugins[name]


class App:
    def __init__(self):
        self.manager = PluginManager.instance().load("a", "b")

    def work(self, name):
        return self.manager.call(name)

    def run(self):
        with ProcessPoolExecutor(2) as ex:
            return list(ex.map(self.work, ["a", "b"]))


if __name__ == "__main__":
    assert App().run() == ["A", "B"]

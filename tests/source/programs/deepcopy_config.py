import copy
import logging
import threading
from types import SimpleNamespace


class Runtime:
    def __init__(self):
        self.stop = threading.Event()  # object
        self.workers = 4


class Config(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)


def build():
    config = Config(lr=0.1, layers=[1, 2])
    config["runtime"] = Runtime()
    return config


def sweep(base, rates):
    runs = []
    for rate in rates:
        config = copy.deepcopy(base)
        config["lr"] = rate
        runs.append(config)
    return runs


def main():
    runs = sweep(build(), [0.1, 0.2])
    assert [r.lr for r in runs] == [0.1, 0.2]


if __name__ == "__main__":
    main()

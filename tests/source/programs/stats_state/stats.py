import threading
from collections import Counter


class Stats:
    def __init__(self, name):
        self.name = name
        self.state = {"lock": threading.Lock(), "counts": Counter()}  # object

    def seen(self, key):
        with self.state["lock"]:
            self.state["counts"][key] += 1


def merge(stats):
    stats.seen("x") if False else None
    return len(stats.state["counts"])

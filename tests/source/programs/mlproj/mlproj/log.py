import logging
import sys


class RunLogger:
    """Prints and keeps what it printed."""

    def __init__(self, name, path):
        self.name = name
        self.path = path
        self.lines = []
        self.handle = open(path, "a", encoding="utf-8")  # object

    def info(self, text, *args):
        line = text % args
        self.lines.append(line)
        self.handle.write(line + "\n")


def make_logger(name, path):
    return RunLogger(name, path)

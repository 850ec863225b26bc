"""A stream as the default of a dataclass."""
import sys
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TextIO


@dataclass
class Printer:
    prefix: str
    stream: TextIO = sys.stdout  # object

    def show(self, text):
        print(self.prefix, text, file=self.stream)
        return len(text)


if __name__ == "__main__":
    p = Printer(">")
    with get_context("spawn").Pool(2) as pool:
        assert pool.map(p.show, ["a", "bb"]) == [1, 2]

"""A log handler that is set up with a constant of its module."""
import logging
import multiprocessing as mp


class Ingest:
    def __init__(self, name, level=logging.INFO):
        self.name = name
        self.handler = logging.StreamHandler()  # object
        self.handler.setLevel(level)
        self.logger = logging.getLogger(name)
        self.logger.addHandler(self.handler)

    def load(self, part):
        self.logger.warning("load %s", part)
        return part[::-1]

    def run(self, parts):
        with mp.get_context("spawn").Pool(2) as pool:
            return pool.map(self.load, parts)


if __name__ == "__main__":
    assert Ingest("daily").run(["ab", "cd"]) == ["ba", "dc"]

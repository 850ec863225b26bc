import multiprocessing
import os


class Launcher:
    def __init__(self, name):
        self.env = os.environ  # object
        self.name = name

    def launch(self, key):
        return self.name + self.env[key]


if __name__ == "__main__":
    os.environ["STAGE"] = "dev"
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(Launcher("x-").launch, ["STAGE"]) == ["x-dev"]

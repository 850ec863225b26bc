import json
import multiprocessing as mp
import threading

DEFAULTS = {"batch": 4, "io": {"retries": 2}}


def make_config(**changes):
    config = json.loads(json.dumps(DEFAULTS))
    config.update(changes)
    config["io"]["lock"] = threading.Lock()  # object
    return config


class Step:
    def __init__(self, config):
        self.config = config

    def __call__(self, x):
        with self.config["io"]["lock"]:
            return x * self.config["batch"]


def main():
    step = Step(make_config(batch=3))
    with mp.Pool(2) as pool:
        assert pool.map(step, [1, 2]) == [3, 6]


if __name__ == "__main__":
    main()

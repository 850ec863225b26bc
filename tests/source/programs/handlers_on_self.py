import logging
import multiprocessing


class Experiment:
    def __init__(self, name, level=logging.INFO):
        self.name = name
        self.handler = logging.StreamHandler()  # object
        self.handler.setLevel(level)
        self.logger = logging.getLogger(name)
        self.logger.addHandler(self.handler)

    def trial(self, seed):
        self.logger.info("seed %s", seed)
        return seed * 2


def main():
    e = Experiment("exp")
    with multiprocessing.Pool(2) as pool:
        results = pool.map_async(e.trial, range(3))
        print(results.get(timeout=30))


if __name__ == "__main__":
    main()

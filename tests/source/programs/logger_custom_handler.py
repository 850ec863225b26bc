import logging
import multiprocessing


class ListHandler(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)


class Run:
    def __init__(self, seed):
        self.seed = seed
        self.handler = ListHandler()  # object

    def go(self):
        return self.seed


def execute(run):
    return run.go()


if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        print(pool.map(execute, [Run(1)]))

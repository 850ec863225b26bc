import concurrent.futures as cf
import logging
import logging.handlers
import multiprocessing as mp
import queue


class RunLog:
    def __init__(self, name):
        self.logger = logging.Logger(name)  # object
        self.queue = queue.Queue()
        self.handler = logging.handlers.QueueHandler(self.queue)
        self.logger.addHandler(self.handler)

    def info(self, *args):
        self.logger.info(*args)


class Frame:
    def __init__(self, number, log):
        self.number = number
        self.log = log

    def render(self):
        self.log.info("frame %d", self.number)
        return self.number ** 2


def render(frame):
    return frame.render()


def main():
    log = RunLog("farm")
    frames = [Frame(n, log) for n in range(3)]
    with cf.ProcessPoolExecutor(max_workers=2) as ex:
        out = list(ex.map(render, frames))
    assert out == [0, 1, 4]


if __name__ == "__main__":
    main()

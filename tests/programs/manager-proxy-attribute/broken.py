# methods: fork spawn
"""An attribute of an object that lives in the manager's process."""
import multiprocessing
import sys
from multiprocessing.managers import BaseManager


class Progress:
    def __init__(self):
        self.done = 0

    def step(self):
        self.done += 1


class Manager(BaseManager):
    pass


Manager.register("Progress", Progress)


def work(progress):
    progress.step()
    print(progress.done)


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with Manager() as manager:
        progress = manager.Progress()
        process = context.Process(target=work, args=(progress,))
        process.start()
        process.join()

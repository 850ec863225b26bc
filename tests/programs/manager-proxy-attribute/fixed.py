# methods: fork spawn
"""The same, asked for by a method."""
import multiprocessing
import sys
from multiprocessing.managers import BaseManager


class Progress:
    def __init__(self):
        self.done = 0

    def get_done(self):
        return self.done

    def step(self):
        self.done += 1


class Manager(BaseManager):
    pass


Manager.register("Progress", Progress)


def work(progress):
    progress.step()
    print(progress.get_done())


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with Manager() as manager:
        progress = manager.Progress()
        process = context.Process(target=work, args=(progress,))
        process.start()
        process.join()

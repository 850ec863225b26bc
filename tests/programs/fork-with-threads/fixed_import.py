"""The module is imported at the top, before the process forks."""
import multiprocessing

import slow_module


def work():
    print(slow_module.__name__)


if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join()

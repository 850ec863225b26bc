"""The start method is set under the guard."""
import multiprocessing
import sys


def work():
    print("working")


def main():
    process = multiprocessing.Process(target=work)
    process.start()
    process.join()
    return process.exitcode


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    sys.exit(main())

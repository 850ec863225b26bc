import multiprocessing
import threading


class Item:
    def __init__(self, n):
        self.n = n
        self.done = threading.Event()  # object


def main():
    with multiprocessing.Manager() as manager:
        jobs = manager.list()
        for n in range(2):
            jobs.append(Item(n))
        print(len(jobs))


if __name__ == "__main__":
    main()

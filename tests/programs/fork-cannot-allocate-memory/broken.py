"""The parent has reserved more memory than the machine could promise a second time."""
import multiprocessing
import os


def work():
    print("worker done")


if __name__ == "__main__":
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    data = [bytes(int(machine * 0.7)) for _ in range(2)]
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join()

"""The process is started while the parent is still small."""
import multiprocessing
import os


def work(ready):
    ready.wait()
    print("worker done")


if __name__ == "__main__":
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    process = context.Process(target=work, args=(ready,))
    process.start()
    data = [bytes(int(machine * 0.7)) for _ in range(2)]
    ready.set()
    process.join()
    assert process.exitcode == 0

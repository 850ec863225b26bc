"""Each round has a process of its own."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work():
    print("working", flush=True)


if __name__ == "__main__":
    for _ in range(2):
        process = multiprocessing.get_context(METHOD).Process(target=work)
        process.start()
        process.join()

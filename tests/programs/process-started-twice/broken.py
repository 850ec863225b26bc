"""A process object is used for a second round."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work():
    print("working", flush=True)


if __name__ == "__main__":
    process = multiprocessing.get_context(METHOD).Process(target=work)
    for _ in range(2):
        process.start()
        process.join()

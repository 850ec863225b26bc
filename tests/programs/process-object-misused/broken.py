"""A process object is asked for its exit code after it was closed."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work():
    print("working", flush=True)


if __name__ == "__main__":
    process = multiprocessing.get_context(METHOD).Process(target=work)
    process.start()
    process.join()
    process.close()
    print(process.exitcode)

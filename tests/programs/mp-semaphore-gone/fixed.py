"""The parent keeps the shared value in a variable until the child is done."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(counter):
    print("worker done", counter.value)


def main(context):
    counter = context.Value("i", 0)
    process = context.Process(target=work, args=(counter,))
    process.start()
    process.join()
    assert process.exitcode == 0


if __name__ == "__main__":
    main(multiprocessing.get_context(METHOD))

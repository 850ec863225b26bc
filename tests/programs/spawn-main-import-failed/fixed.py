"""What must happen once stands under the guard; a child imports definitions alone."""
import multiprocessing
import os
import sys
import tempfile


def work(run):
    print("worker done", os.path.isdir(run))


def main(method):
    run = os.path.join(tempfile.gettempdir(), "run-%d" % os.getpid())
    os.mkdir(run)
    process = multiprocessing.get_context(method).Process(target=work, args=(run,))
    process.start()
    process.join()
    os.rmdir(run)
    assert process.exitcode == 0


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "spawn")

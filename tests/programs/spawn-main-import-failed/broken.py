"""The script's top level makes a folder, and each child runs the top level again."""
import multiprocessing
import os
import sys
import tempfile

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"
RUN = os.environ.setdefault("RUN_FOLDER", os.path.join(tempfile.gettempdir(), "run-%d" % os.getpid()))
os.mkdir(RUN)


def work():
    print("worker done")


if __name__ == "__main__":
    process = multiprocessing.get_context(METHOD).Process(target=work)
    process.start()
    process.join()
    os.rmdir(RUN)

"""The same program, run from a file."""
import os
import subprocess
import sys
import tempfile

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"
PROGRAM = """
import multiprocessing
import sys


def work():
    print("worker done")


if __name__ == "__main__":
    process = multiprocessing.get_context(sys.argv[1]).Process(target=work)
    process.start()
    process.join()
"""

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "train.py")
        with open(path, "w") as file:
            file.write(PROGRAM)
        subprocess.check_call([sys.executable, path, METHOD])

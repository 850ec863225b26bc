"""A program that Python reads from its standard input has no file that a spawned child could import."""
import subprocess
import sys

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
    python = subprocess.Popen([sys.executable, "-", METHOD], stdin=subprocess.PIPE)
    python.communicate(PROGRAM.encode())

"""The function stands in a file, from which the child can import it."""
import subprocess
import sys

TYPED = """
import multiprocessing
from workers import work

process = multiprocessing.get_context("spawn").Process(target=work, args=(0,))
process.start()
process.join()
raise SystemExit(process.exitcode)
"""

if __name__ == "__main__":
    sys.exit(subprocess.call([sys.executable, "-c", TYPED]))

"""A function that was typed in (`python -c`) is the target of a spawned process."""
import subprocess
import sys

TYPED = """
import multiprocessing

def work(rank):
    print("rank", rank)

process = multiprocessing.get_context("spawn").Process(target=work, args=(0,))
process.start()
process.join()
raise SystemExit(process.exitcode)
"""

if __name__ == "__main__":
    sys.exit(subprocess.call([sys.executable, "-c", TYPED]))

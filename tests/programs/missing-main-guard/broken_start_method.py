"""The start method is set at the top level of the script, which each child runs again."""
import multiprocessing
import sys


def work():
    print("working")


multiprocessing.set_start_method("spawn")
process = multiprocessing.Process(target=work)
process.start()
process.join()
sys.exit(process.exitcode)

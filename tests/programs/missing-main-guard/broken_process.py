# methods: spawn forkserver
"""A process is started at the top level of the script."""
import multiprocessing
import sys

ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")


def work(rank):
    print("rank", rank)


process = ctx.Process(target=work, args=(0,))
process.start()
process.join()
sys.exit(process.exitcode)

# methods: spawn forkserver
"""A manager is started at the top level of the script."""
import multiprocessing
import sys

ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
manager = ctx.Manager()
shared = manager.dict(done=1)
print(shared)

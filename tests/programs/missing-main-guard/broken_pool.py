# methods: spawn forkserver
"""A pool is made at the top level of the script: it replaces its dead workers forever."""
import multiprocessing
import sys


def square(x):
    return x * x


ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
pool = ctx.Pool(1)
result = pool.map_async(square, range(4))
result.wait(4)  # `pool.map` would wait forever
pool.terminate()
pool.join()
if not result.ready():
    sys.exit("no result")
print(result.get())

# methods: spawn forkserver fork
"""A pool is given a lambda."""
import multiprocessing
import sys

if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Pool(2) as pool:
        print(pool.map(lambda item: 3 * item, range(4)))

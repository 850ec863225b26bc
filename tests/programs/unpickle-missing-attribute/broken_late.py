"""The pool is forked before the function is defined: its workers die, and are replaced forever."""
import multiprocessing
import sys

if __name__ == "__main__":
    pool = multiprocessing.get_context("fork").Pool(1)

    def late(item):
        return item + 1

    result = pool.map_async(late, [1, 2])
    result.wait(2)  # `pool.map` would wait forever
    pool.terminate()
    pool.join()
    if not result.ready():
        sys.exit("no result")
    print(result.get())

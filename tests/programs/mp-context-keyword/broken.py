"""The executor's keyword, given to Pool."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"

if __name__ == "__main__":
    context = multiprocessing.get_context(METHOD)
    with multiprocessing.Pool(2, mp_context=context) as pool:
        print(pool.map(abs, [-1, -2]))

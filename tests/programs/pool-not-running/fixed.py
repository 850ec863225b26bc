"""All that needs the pool stands inside its with block."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"

if __name__ == "__main__":
    with multiprocessing.get_context(METHOD).Pool(2) as pool:
        print(pool.map(abs, [-1, -2]))
        print(pool.map(abs, [-3]))

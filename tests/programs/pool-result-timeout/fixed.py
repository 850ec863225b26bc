"""The caller waits long enough."""
import multiprocessing
import sys
import time

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"

if __name__ == "__main__":
    with multiprocessing.get_context(METHOD).Pool(1) as pool:
        print(pool.apply_async(time.sleep, (1,)).get(timeout=60))

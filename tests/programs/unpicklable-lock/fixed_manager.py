# methods: spawn forkserver fork
"""The manager's dict holds plain values, and the lock is the manager's own."""
import multiprocessing
import sys

if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Manager() as manager:
        shared = manager.dict()
        lock = manager.Lock()
        with lock:
            shared["done"] = 0
        print(shared["done"])

"""The manager's process leaves while it imports the script."""
import multiprocessing
import os
import sys

if __name__ != "__main__":
    os._exit(1)

if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Manager() as manager:
        print(manager.dict(done=1))

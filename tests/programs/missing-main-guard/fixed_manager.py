# methods: spawn forkserver
"""The manager is started under the guard."""
import multiprocessing
import sys


def main():
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    with ctx.Manager() as manager:
        shared = manager.dict(done=1)
        print(shared)


if __name__ == "__main__":
    main()

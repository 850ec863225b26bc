# methods: spawn forkserver
"""All that works stands in `main`, under the guard."""
import multiprocessing
import sys


def work(rank):
    print("rank", rank)


def main():
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=work, args=(0,))
    process.start()
    process.join()
    return process.exitcode


if __name__ == "__main__":
    sys.exit(main())

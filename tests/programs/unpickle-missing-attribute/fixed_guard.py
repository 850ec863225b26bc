"""The target stands at the top level, above the guard."""
import multiprocessing
import sys


def work(rank):
    print("rank", rank)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=work, args=(0,))
    process.start()
    process.join()
    sys.exit(process.exitcode)

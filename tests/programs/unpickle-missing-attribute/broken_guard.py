"""The target stands under the guard, which the child does not enter."""
import multiprocessing
import sys

if __name__ == "__main__":

    def work(rank):
        print("rank", rank)

    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=work, args=(0,))
    process.start()
    process.join()
    sys.exit(process.exitcode)

"""Everything comes from one context, whatever the default is."""
import multiprocessing


def work(results):
    results.put(42)


if __name__ == "__main__":
    ctx = multiprocessing.get_context("spawn")
    results = ctx.Queue()
    process = ctx.Process(target=work, args=(results,))
    process.start()
    print(results.get())
    process.join()

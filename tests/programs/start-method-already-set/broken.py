"""A queue is made, which fixes the start method; then the program sets another one."""
import multiprocessing


def work(results):
    results.put(42)


if __name__ == "__main__":
    results = multiprocessing.Queue()
    multiprocessing.set_start_method("spawn")
    process = multiprocessing.Process(target=work, args=(results,))
    process.start()
    print(results.get())
    process.join()

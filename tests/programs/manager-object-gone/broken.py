import multiprocessing


def work(shared):
    shared["done"] = True


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager:
        process = context.Process(target=work, args=(manager.dict(),))
        process.start()
        process.join()

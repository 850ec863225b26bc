import multiprocessing


def work(shared):
    shared["done"] = True


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager:
        shared = manager.dict()
        process = context.Process(target=work, args=(shared,))
        process.start()
        process.join()
        print(shared["done"])

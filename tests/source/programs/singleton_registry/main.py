import multiprocessing as mp

from registry import Registry


def use(registry, name, queue):
    queue.put(registry.lookup(name))


def main():
    registry = Registry()
    registry.register("double", 2)
    ctx = mp.get_context("spawn")
    queue = ctx.Queue()
    worker = ctx.Process(target=use, args=(registry, "double", queue))
    worker.start()
    assert queue.get(timeout=30) == 2
    worker.join()
    assert Registry() is registry


if __name__ == "__main__":
    main()

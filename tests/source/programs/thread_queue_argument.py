import multiprocessing
import queue


def produce(items, n):
    for i in range(n):
        items.put(i)


if __name__ == "__main__":
    ctx = multiprocessing.get_context("spawn")
    items = queue.Queue()  # object
    p = ctx.Process(target=produce, args=(items, 3))
    p.start()
    assert [items.get(timeout=20) for _ in range(3)] == [0, 1, 2]
    p.join()

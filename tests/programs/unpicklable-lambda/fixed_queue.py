"""The item holds a function with a name."""
import multiprocessing
import queue


def double(item):
    return 2 * item


if __name__ == "__main__":
    items = multiprocessing.Queue()
    items.put({"transform": double})
    try:
        print("got", items.get(timeout=10)["transform"](21))
    except queue.Empty:
        raise SystemExit("nothing arrived")

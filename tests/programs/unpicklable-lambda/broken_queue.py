"""An item put into a queue holds a lambda: the item is lost and the program goes on."""
import multiprocessing
import queue

double = lambda item: 2 * item  # noqa: E731

if __name__ == "__main__":
    items = multiprocessing.Queue()
    items.put({"transform": double})
    try:
        print("got", items.get(timeout=1)["transform"](21))
    except queue.Empty:
        print("nothing arrived, and the program went on")

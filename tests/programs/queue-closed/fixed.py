"""A sentinel tells the reader that nothing more comes."""
import multiprocessing

if __name__ == "__main__":
    queue = multiprocessing.Queue()
    for item in (1, None):
        queue.put(item)
    print(list(iter(queue.get, None)))

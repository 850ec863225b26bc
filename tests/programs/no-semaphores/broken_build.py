"""A queue on a Python that was built without semaphores."""
import multiprocessing

if __name__ == "__main__":
    queue = multiprocessing.Queue()
    queue.put(3)
    print(queue.get())

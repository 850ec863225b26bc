# needs: python>=3.8
"""A queue is closed before the last item."""
import multiprocessing

if __name__ == "__main__":
    queue = multiprocessing.Queue()
    queue.put(1)
    print(queue.get())
    queue.close()
    queue.put(None)

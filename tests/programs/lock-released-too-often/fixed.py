"""The with block releases the lock."""
import multiprocessing

if __name__ == "__main__":
    lock = multiprocessing.Lock()
    with lock:
        print("held")

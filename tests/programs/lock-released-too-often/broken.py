"""A lock is released inside its own with block."""
import multiprocessing

if __name__ == "__main__":
    lock = multiprocessing.Lock()
    with lock:
        lock.release()

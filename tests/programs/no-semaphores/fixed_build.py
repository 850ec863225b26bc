"""Threads need no semaphores of the system."""
from concurrent.futures import ThreadPoolExecutor

if __name__ == "__main__":
    with ThreadPoolExecutor(2) as pool:
        print(list(pool.map(abs, [-1, -2])))

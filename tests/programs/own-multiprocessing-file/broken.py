"""A folder with a file of the user's called multiprocessing.py comes first on the path."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "scratch"))

from multiprocessing.pool import ThreadPool

if __name__ == "__main__":
    with ThreadPool(2) as pool:
        print(pool.map(abs, [-1, -2]))

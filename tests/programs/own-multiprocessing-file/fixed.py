"""The standard library's package comes first."""
from multiprocessing.pool import ThreadPool

if __name__ == "__main__":
    with ThreadPool(2) as pool:
        print(pool.map(abs, [-1, -2]))

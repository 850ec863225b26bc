"""A start method by a name that no platform has."""
import multiprocessing

if __name__ == "__main__":
    context = multiprocessing.get_context("threads")
    with context.Pool(2) as pool:
        print(pool.map(abs, [-1, -2]))

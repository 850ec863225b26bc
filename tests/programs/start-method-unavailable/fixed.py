"""A start method out of multiprocessing.get_all_start_methods()."""
import multiprocessing

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        print(pool.map(abs, [-1, -2]))

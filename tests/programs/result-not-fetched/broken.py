"""A handle is taken for the results."""
import multiprocessing

if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        results = pool.map_async(abs, [-1, -2])
        print(sum(results))

"""At least one process."""
import multiprocessing

CORES = 1

if __name__ == "__main__":
    with multiprocessing.Pool(max(1, CORES // 2)) as pool:
        print(pool.map(abs, [-1, -2]))

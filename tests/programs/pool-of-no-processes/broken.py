"""Half of one core is no process at all."""
import multiprocessing

CORES = 1

if __name__ == "__main__":
    with multiprocessing.Pool(CORES // 2) as pool:
        print(pool.map(abs, [-1, -2]))

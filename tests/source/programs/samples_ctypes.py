import ctypes
import multiprocessing as mp


class Samples:
    def __init__(self, count):
        self.count = count
        self.buffer = (ctypes.c_double * count)(*range(count))  # object

    def mean(self, lo, hi):
        return sum(self.buffer[lo:hi]) / (hi - lo)


def main():
    samples = Samples(100)
    with mp.Pool(2) as pool:
        print(pool.starmap(samples.mean, [(0, 50), (50, 100)]))


if __name__ == "__main__":
    main()

import ctypes
import ctypes.util
import multiprocessing as mp


class Maths:
    def __init__(self, digits):
        self.digits = digits
        self.lib = ctypes.CDLL(ctypes.util.find_library("m"))  # object
        self.lib.sqrt.restype = ctypes.c_double
        self.lib.sqrt.argtypes = [ctypes.c_double]

    def root(self, x):
        return round(self.lib.sqrt(x), self.digits)


def main():
    maths = Maths(3)
    with mp.Pool(2) as pool:
        assert pool.map(maths.root, [4.0, 2.0]) == [2.0, 1.414]


if __name__ == "__main__":
    main()

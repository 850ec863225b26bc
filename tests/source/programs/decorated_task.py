import multiprocessing
import time


def timed(threshold):
    def decorate(fn):
        def inner(*args, **kwargs):  # object
            start = time.time()
            try:
                return fn(*args, **kwargs)
            finally:
                if time.time() - start > threshold:
                    print("slow")
        return inner
    return decorate


@timed(1.0)
def square(x):
    return x * x


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, range(3)))

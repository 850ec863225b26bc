import multiprocessing
import threading


class LockMixin:
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.mutex = threading.Lock()  # object


class Base:
    def __init__(self, size):
        self.size = size


class Buffer(LockMixin, Base):
    def push(self, x):
        with self.mutex:
            return x + self.size


if __name__ == "__main__":
    buffer = Buffer(3)
    with multiprocessing.Pool(1) as pool:
        print(pool.map(buffer.push, [1]))

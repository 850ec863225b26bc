"""`Process.__init__` is not called."""
import multiprocessing


class Reader(multiprocessing.Process):
    def __init__(self, path):
        self.path = path

    def run(self):
        print(self.path)


if __name__ == "__main__":
    reader = Reader("data.txt")
    reader.start()
    reader.join()

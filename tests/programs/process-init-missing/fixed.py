"""`Process.__init__` comes first."""
import multiprocessing


class Reader(multiprocessing.Process):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def run(self):
        print(self.path)


if __name__ == "__main__":
    reader = Reader("data.txt")
    reader.start()
    reader.join()

import argparse
import multiprocessing


class Command:
    def __init__(self, argv):
        self.parser = argparse.ArgumentParser()  # object
        self.parser.add_argument("--n", type=int, default=2)
        self.args = self.parser.parse_args(argv)

    def square(self, x):
        return x * self.args.n


if __name__ == "__main__":
    command = Command([])
    with multiprocessing.Pool(1) as pool:
        print(pool.map(command.square, [1]))

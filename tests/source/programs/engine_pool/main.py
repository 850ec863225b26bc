import multiprocessing as mp

from engine import Engine


def square(n):
    return n * n


def main():
    engine = Engine(workers=2)  # object
    mp.set_start_method("spawn")
    assert engine.run(square, [1, 2]) == [1, 4]


if __name__ == "__main__":
    main()

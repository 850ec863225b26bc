import argparse
import multiprocessing as mp


def scale(x):
    return x * args.factor


def run(values):
    with mp.Pool(processes=2) as pool:
        return pool.map(scale, values)


if __name__ == "__main__":
    mp.set_start_method("spawn")
    parser = argparse.ArgumentParser()
    parser.add_argument("--factor", type=int, default=3)
    args = parser.parse_args()  # object
    assert run([1, 2]) == [3, 6]

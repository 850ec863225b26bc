import multiprocessing as mp

from settings import Settings
from jobs import export


def main():
    Settings.target = "/tmp/out"  # object
    with mp.get_context("spawn").Pool(2) as pool:
        done = pool.map(export, ["x", "y"])
    assert done == ["/tmp/out/x.csv", "/tmp/out/y.csv"], done


if __name__ == "__main__":
    main()

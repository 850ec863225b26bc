import sys

from etl import jobs
from etl.store import Store


def main(argv):
    store = Store(":memory:")
    runner = jobs.Runner(store, workers=2)
    for name, count in runner.run(["a", "b"]):
        print(name, count)


if __name__ == "__main__":
    main(sys.argv)

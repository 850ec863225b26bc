import multiprocessing
import re

PATTERN = re.compile(r"(\w+)=(\d+)")


def parse(line):
    found = PATTERN.search(line)  # object
    return found


if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        print(pool.map(parse, ["a=1", "b=2"]))

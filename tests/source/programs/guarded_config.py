import argparse
import json
import multiprocessing
import os
import tempfile


def convert(path):
    with open(path) as file:
        data = json.load(file)
    return {key: value * config["factor"] for key, value in data.items()}


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    parser = argparse.ArgumentParser()
    parser.add_argument("--factor", type=int, default=3)
    args = parser.parse_args()
    config = {"factor": args.factor}  # object
    folder = tempfile.mkdtemp()
    paths = []
    for n in range(3):
        paths.append(os.path.join(folder, "%d.json" % n))
        with open(paths[-1], "w") as file:
            json.dump({"n": n}, file)
    with multiprocessing.Pool(2) as pool:
        assert pool.map(convert, paths) == [{"n": 0}, {"n": 3}, {"n": 6}]

import json
import multiprocessing
import os
import tempfile

SETTINGS = None


def load_settings(path):
    global SETTINGS
    with open(path) as file:
        SETTINGS = json.load(file)  # object


def convert(price):
    return price * SETTINGS["rate"]


def main():
    path = os.path.join(tempfile.mkdtemp(), "settings.json")
    with open(path, "w") as file:
        json.dump({"rate": 3}, file)
    load_settings(path)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(convert, [1, 2]) == [3, 6]


if __name__ == "__main__":
    main()

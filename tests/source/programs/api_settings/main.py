import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from app.settings import Settings
from app.tasks import address


def main():
    Settings.configure("http://api", "v2")
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(address, ["a"])) == ["http://api/v2/a"]


if __name__ == "__main__":
    main()

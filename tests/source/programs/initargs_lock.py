import threading
from concurrent.futures import ProcessPoolExecutor
import multiprocessing

_state = {}


def setup(config):
    _state.update(config)


def work(n):
    with _state["lock"]:
        return n + _state["offset"]


def main():
    lock = threading.Lock()  # object
    config = {"offset": 5, "lock": lock, "name": "run"}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context, initializer=setup, initargs=(config,)) as ex:
        assert list(ex.map(work, [1, 2])) == [6, 7]


if __name__ == "__main__":
    main()

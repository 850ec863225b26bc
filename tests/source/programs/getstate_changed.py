import multiprocessing as mp
import threading


class Index:
    """Has a lock, but leaves it out itself."""

    def __init__(self):
        self.words = {}
        self.lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["lock"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()


class Searcher:
    def __init__(self, index):
        self.index = index
        self.cache = {}
        self.stats = {"hits": 0}
        self.cache_lock = threading.Lock()  # object

    def __getstate__(self):
        state = self.__dict__.copy()
        state["cache"] = {}
        return state

    def search(self, word):
        with self.cache_lock:
            self.stats["hits"] += 1
            return self.cache.setdefault(word, len(word))


def main():
    searcher = Searcher(Index())
    with mp.Pool(2) as pool:
        assert pool.map(searcher.search, ["ab", "abc"]) == [2, 3]


if __name__ == "__main__":
    main()

import multiprocessing as mp
from functools import partial

from pagecache import PageCache


def warm(cache, key):
    return cache.put(key, "<html>" + key)


def main():
    cache = PageCache()
    with mp.Pool(2) as pool:
        assert pool.map(partial(warm, cache), ["home", "about"], chunksize=1) == [1, 1]


if __name__ == "__main__":
    main()

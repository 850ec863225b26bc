from multiprocessing import Pool

from search import Searcher

if __name__ == "__main__":
    searcher = Searcher(["red fox", "blue fox", "red hen"])
    with Pool(2) as pool:
        hits = pool.map(searcher.search, ["red", "fox"])
    assert hits == [[0, 2], [0, 1]], hits

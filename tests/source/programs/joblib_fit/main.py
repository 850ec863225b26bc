from joblib import Parallel, delayed
from search.grid import GridSearch


def main():
    search = GridSearch({"depth": [1, 2, 3]})
    best = search.fit()
    assert best == 3, best


if __name__ == "__main__":
    main()

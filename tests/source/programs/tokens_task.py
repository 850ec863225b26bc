"""A task that is a generator function."""
import multiprocessing


def tokens(text):  # object
    for word in text.split():
        yield word.lower()


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        words = [list(t) for t in pool.map(tokens, ["A b", "C"])]
    assert words == [["a", "b"], ["c"]]

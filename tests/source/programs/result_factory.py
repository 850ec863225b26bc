import multiprocessing
from collections import defaultdict


def count(words):
    seen = defaultdict(lambda: 0)  # object
    for word in words:
        seen[word] += 1
    return seen


if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        (result,) = pool.map(count, [["a", "b", "a"]])
    assert dict(result) == {"a": 2, "b": 1}

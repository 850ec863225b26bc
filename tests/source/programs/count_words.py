import multiprocessing as mp
from collections import defaultdict

TEXTS = ["a b a", "b c"]


def tree():
    return defaultdict(lambda: defaultdict(int))  # object


def count(text):
    counts = tree()
    for word in text.split():
        counts[word[0]][word] += 1
    return counts


def main():
    pool = mp.Pool(2)
    total = defaultdict(int)
    for counts in pool.imap(count, TEXTS):
        for letter in counts:
            for word, n in counts[letter].items():
                total[word] += n
    pool.close()
    pool.join()
    assert dict(total) == {"a": 2, "b": 2, "c": 1}


if __name__ == "__main__":
    main()

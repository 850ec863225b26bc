from types import SimpleNamespace
import multiprocessing as mp
import sys
import threading


def make_context(verbose):
    context = SimpleNamespace(
        out=sys.stdout if verbose else None,
        lock=threading.Lock(),  # object
        counts={},
    )
    return context


def count(context, word):
    with context.lock:
        context.counts[word] = context.counts.get(word, 0) + 1
    return len(word)


def main():
    context = make_context(verbose=False)
    with mp.Pool(2) as pool:
        lengths = pool.starmap(count, [(context, w) for w in ("a", "bb", "ccc")])
    assert lengths == [1, 2, 3]


if __name__ == "__main__":
    main()

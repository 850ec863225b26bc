import os
import tempfile
import zipfile
from multiprocessing import Pool

from corpus import ZipCorpus


def main():
    path = os.path.join(tempfile.mkdtemp(), "texts.zip")
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("a.txt", "one two")
        z.writestr("b.txt", "three")
    corpus = ZipCorpus(path)
    with Pool(2) as pool:
        counts = pool.map(corpus.count_words, corpus.names())
    assert counts == [2, 1], counts


if __name__ == "__main__":
    main()

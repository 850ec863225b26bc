import collections
import multiprocessing


class Index:
    def __init__(self):
        self.names = []
        self.postings = collections.defaultdict(lambda: collections.defaultdict(int))  # object

    def add(self, name, word):
        self.names.append(name)
        self.postings[word][name] += 1


def build(docs):
    index = Index()
    for n, doc in enumerate(docs):
        for w in doc.split():
            index.add(n, w)
    return index


def main():
    with multiprocessing.Pool(2) as pool:
        for index in pool.imap(build, [["a b"], ["c"]]):
            print(len(index.names))


if __name__ == "__main__":
    main()

from helpers import guarded


class Index(dict):
    def add(self, word, number):
        with self._guard:
            self.setdefault(word, []).append(number)


class Searcher:
    def __init__(self, documents):
        self.index = guarded(Index())
        for number, text in enumerate(documents):
            for word in text.split():
                self.index.add(word, number)

    def search(self, word):
        return self.index.get(word, [])

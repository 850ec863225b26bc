import zipfile


class Corpus:
    def __init__(self, path):
        self.path = path

    def names(self):
        raise NotImplementedError


class ZipCorpus(Corpus):
    def __init__(self, path):
        super().__init__(path)
        self.zip = zipfile.ZipFile(self.path)  # object

    def names(self):
        return self.zip.namelist()

    def count_words(self, name):
        return len(self.zip.read(name).split())

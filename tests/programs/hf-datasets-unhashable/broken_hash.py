# needs: datasets
"""In one process the same object only spoils the cache: a warning."""
import datasets


class Tokenize:
    def __init__(self):
        self.ids = (i for i in range(100))

    def __call__(self, example):
        return {"length": len(example["text"])}


if __name__ == "__main__":
    data = datasets.Dataset.from_dict({"text": ["a", "bb", "ccc", "dddd"]})
    print(data.map(Tokenize())["length"])

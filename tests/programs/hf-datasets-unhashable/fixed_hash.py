# needs: datasets
"""A function at the top of the module has a stable hash."""
import datasets
from datasets.fingerprint import Hasher


def tokenize(example, extra):
    return {"length": len(example["text"]) + extra}


if __name__ == "__main__":
    data = datasets.Dataset.from_dict({"text": ["a", "bb", "ccc", "dddd"]})
    print(data.map(tokenize, fn_kwargs={"extra": 0})["length"], len(Hasher.hash(tokenize)))

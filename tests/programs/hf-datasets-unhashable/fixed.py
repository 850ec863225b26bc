# needs: datasets
"""map() gets a function at the top of the module, and plain values in `fn_kwargs`."""
import datasets


def tokenize(example, extra):
    return {"length": len(example["text"]) + extra}


if __name__ == "__main__":
    data = datasets.Dataset.from_dict({"text": ["a", "bb", "ccc", "dddd"]})
    print(data.map(tokenize, fn_kwargs={"extra": 0}, num_proc=2)["length"])

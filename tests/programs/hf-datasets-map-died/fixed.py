# needs: datasets
"""Smaller batches, so that each process holds less at a time."""
import os
import signal

import datasets


def tokenize(batch):
    if len(batch["text"]) > 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"length": [len(t) for t in batch["text"]]}


if __name__ == "__main__":
    data = datasets.Dataset.from_dict({"text": ["a", "bb", "ccc", "dddd"] * 4})
    print(data.map(tokenize, batched=True, num_proc=2, batch_size=2, writer_batch_size=2)["length"])

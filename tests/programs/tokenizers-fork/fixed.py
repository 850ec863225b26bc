# needs: tokenizers<0.22
"""The environment says in advance that the tokenizer uses no threads."""
import multiprocessing
import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import Tokenizer, models, pre_tokenizers

TEXTS = ["hello world"] * 1000


def count(tokenizer):
    print(len(tokenizer.encode_batch(TEXTS)))


if __name__ == "__main__":
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "hello": 1, "world": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.encode_batch(TEXTS)
    process = multiprocessing.get_context("fork").Process(target=count, args=(tokenizer,))
    process.start()
    process.join()

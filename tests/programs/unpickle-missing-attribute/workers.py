"""A file from which a child can import."""


def work(rank):
    print("rank", rank)

# methods: spawn forkserver fork
"""A process gets a `defaultdict(lambda: 0)`."""
import collections
import multiprocessing
import sys


class Vocabulary:
    def __init__(self):
        self.counts = collections.defaultdict(lambda: 0)
        self.counts["the"] += 1


def work(vocabulary):
    print(dict(vocabulary.counts))


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else "spawn")
    process = ctx.Process(target=work, args=(Vocabulary(),))
    process.start()
    process.join()
    sys.exit(process.exitcode)

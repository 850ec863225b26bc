"""The class says what `__new__` gets (argument: start method)."""
import multiprocessing
import sys


class Key(str):
    def __new__(cls, text, kind):
        self = super().__new__(cls, text)
        self.kind = kind
        return self

    def __getnewargs__(self):
        return str(self), self.kind


def show(key):
    print(key, key.kind)


if __name__ == "__main__":
    ctx = multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)
    process = ctx.Process(target=show, args=(Key("lr", "float"),))
    process.start()
    process.join()

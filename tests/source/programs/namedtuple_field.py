import multiprocessing
import typing


class Stage(typing.NamedTuple):
    name: str
    run: typing.Callable


def make(name):
    if name == "up":
        return Stage(name, str.upper)
    return Stage(name, lambda s: s[::-1])  # object


def go(stage, text):
    return stage.run(text)


if __name__ == "__main__":
    stages = [make("up"), make("reverse")]
    with multiprocessing.Pool(2) as pool:
        print(pool.starmap(go, [(s, "abc") for s in stages]))

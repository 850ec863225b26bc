import multiprocessing as mp

SCALE = 2
STEPS = {
    "train": [
        str.strip,
        lambda text: text * SCALE,  # object
        lambda text: text[::-1],
    ],
    "test": [str.strip, lambda text: text * SCALE],
}


class Texts:
    def __init__(self, split):
        self.steps = STEPS[split]

    def clean(self, text):
        for step in self.steps:
            text = step(text)
        return text


def main():
    with mp.Pool(2) as pool:
        assert pool.map(Texts("train").clean, [" ab ", "c"]) == ["baba", "cc"]
        assert pool.map(Texts("test").clean, [" ab "]) == ["abab"]


if __name__ == "__main__":
    main()

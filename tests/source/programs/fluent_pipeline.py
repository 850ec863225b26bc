import typing as t
from concurrent import futures


def strip(s: str) -> str:
    return s.strip()


class Pipeline:
    def __init__(self) -> None:
        self.steps: t.List[t.Callable[[str], str]] = []

    def then(self, step: t.Callable[[str], str]) -> "Pipeline":
        self.steps.append(step)
        return self

    def __call__(self, text: str) -> str:
        for step in self.steps:
            text = step(text)
        return text


def main() -> None:
    pipeline = Pipeline().then(strip).then(str.upper).then(lambda s: s + "!")  # object
    with futures.ProcessPoolExecutor(max_workers=2) as pool:
        texts = list(pool.map(pipeline, [" a", "b "]))
    assert texts == ["A!", "B!"]


if __name__ == "__main__":
    main()

import collections
import dataclasses
import multiprocessing


@dataclasses.dataclass
class Report:
    title: str
    counts: dict = dataclasses.field(
        default_factory=lambda: collections.defaultdict(lambda: 0)  # object
    )

    def add(self, key):
        self.counts[key] += 1


def fill(report):
    report.add("x")
    return report.counts["x"]


def main():
    reports = [Report("a"), Report("b")]
    with multiprocessing.Pool(2) as pool:
        assert pool.map(fill, reports) == [1, 1]


if __name__ == "__main__":
    main()

from __future__ import annotations

import threading
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field


@dataclass
class Counter:
    name: str
    value: int = 0
    mutex: threading.Lock = field(default_factory=threading.Lock, repr=False)  # object

    def increment(self) -> int:
        with self.mutex:
            self.value += 1
        return self.value


@dataclass
class Shard:
    index: int
    counter: Counter
    tags: list[str] = field(default_factory=list)


def process(shard: Shard) -> int:
    return shard.counter.increment() + shard.index


def main() -> None:
    shards = [Shard(i, Counter(f"c{i}")) for i in range(3)]
    with ProcessPoolExecutor(max_workers=2) as executor:
        results = list(executor.map(process, shards))
    assert results == [1, 2, 3], results


if __name__ == "__main__":
    main()

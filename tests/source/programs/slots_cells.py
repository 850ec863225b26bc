import threading
from dataclasses import dataclass, field
from multiprocessing import get_context


@dataclass(slots=True)
class Cell:
    x: int
    y: int
    lock: threading.Lock = field(default_factory=threading.Lock)  # object

    def total(self):
        with self.lock:
            return self.x + self.y


if __name__ == "__main__":
    cells = [Cell(1, 2), Cell(2, 3)]
    with get_context("spawn").Pool(1) as p:
        assert p.map(Cell.total, cells) == [3, 5]

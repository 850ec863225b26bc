import multiprocessing as mp
import threading


class Cell:
    __slots__ = ("row", "col", "value", "guard")

    def __init__(self, row, col, value=0):
        self.row = row
        self.col = col
        self.value = value
        self.guard = threading.Lock()  # object

    def add(self, n):
        with self.guard:
            self.value += n
        return self.value


def bump(cell):
    return cell.add(cell.row + cell.col)


def main():
    grid = [Cell(r, c) for r in range(2) for c in range(2)]
    with mp.Pool(2) as pool:
        assert pool.map(bump, grid) == [0, 1, 1, 2]


if __name__ == "__main__":
    main()

from multiprocessing import Manager, Pool

from state import Board


def mark(board, n):
    board.cells[n] = n * n


if __name__ == "__main__":
    board = Board()
    with Pool(2) as pool:
        pool.starmap(mark, [(board, n) for n in range(3)])
    assert dict(board.cells) == {0: 0, 1: 1, 2: 4}

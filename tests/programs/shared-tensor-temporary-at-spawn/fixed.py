# needs: torch
"""The tensors are made once and kept by the object that is sent."""
import torch
import torch.multiprocessing as mp


class Table:
    def __init__(self):
        self.rows = [torch.tensor([float(i)] * 10) for i in range(4)]


def work(table):
    print(sum(float(sum(row)) for row in table.rows))


def main():
    table = Table()
    p = mp.get_context("spawn").Process(target=work, args=(table,))
    p.start()
    p.join()


if __name__ == "__main__":
    main()

# needs: torch
"""Tensors that exist only while the object is pickled are sent to a spawned process."""
import torch
import torch.multiprocessing as mp


class Table:
    def __init__(self):
        self.rows = [[float(i)] * 10 for i in range(4)]

    def __getstate__(self):
        return {"rows": [torch.tensor(row) for row in self.rows]}


def work(table):
    print(sum(float(sum(row)) for row in table.rows))


def main():
    p = mp.get_context("spawn").Process(target=work, args=(Table(),))
    p.start()
    p.join()


if __name__ == "__main__":
    main()

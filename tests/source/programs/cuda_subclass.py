import multiprocessing as mp

import torch


class Rank(mp.Process):
    def __init__(self, rank, results):
        super().__init__()
        self.rank = rank
        self.results = results

    def run(self):
        weight = torch.tensor([self.rank], device="cuda")
        self.results.put(weight.item())


def main():
    torch.cuda.is_available()  # object
    results = mp.Queue()
    ranks = [Rank(n, results) for n in range(2)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join(20)
    assert all(rank.exitcode == 0 for rank in ranks), "failed"
    assert sorted(results.get() for _ in ranks) == [0, 1]


if __name__ == "__main__":
    main()

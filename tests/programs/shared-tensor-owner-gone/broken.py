# needs: torch
"""A process puts a tensor on a queue and ends before the tensor is received."""
import torch
import torch.multiprocessing as mp


def produce(q):
    q.put(torch.ones(1000))


def main():
    ctx = mp.get_context("spawn")
    q = ctx.Queue()
    p = ctx.Process(target=produce, args=(q,))
    p.start()
    p.join()
    print(q.get().sum())


if __name__ == "__main__":
    main()

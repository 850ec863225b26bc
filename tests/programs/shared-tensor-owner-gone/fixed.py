# needs: torch
"""The process that sent the tensor stays until it has been received."""
import torch
import torch.multiprocessing as mp


def produce(q, received):
    q.put(torch.ones(1000))
    received.wait()


def main():
    ctx = mp.get_context("spawn")
    q, received = ctx.Queue(), ctx.Event()
    p = ctx.Process(target=produce, args=(q, received))
    p.start()
    print(q.get().sum())
    received.set()
    p.join()


if __name__ == "__main__":
    main()

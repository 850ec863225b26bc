import torch.multiprocessing as mp


def main(world):
    results = {}

    def worker(rank, size):  # object
        results[rank] = size

    mp.spawn(worker, args=(world,), nprocs=world)


if __name__ == "__main__":
    main(2)

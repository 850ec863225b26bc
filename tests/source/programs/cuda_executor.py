"""An executor's workers load the model onto the GPU."""
from concurrent.futures import ProcessPoolExecutor, as_completed
import torch

model = None


def load(size):
    global model
    model = torch.ones(size).cuda()


def score(number):
    return number, (model * number).sum().item()


class Service:
    def __init__(self, workers):
        self.gpus = torch.ones(1).cuda()  # object
        self.pool = ProcessPoolExecutor(
            max_workers=workers,
            initializer=load,
            initargs=(3,),
        )

    def score(self, numbers):
        futures = [self.pool.submit(score, n) for n in numbers]
        return dict(f.result() for f in as_completed(futures))


if __name__ == "__main__":
    found = Service(2).score(range(3))
    assert found == {0: 0, 1: 3, 2: 6}, found
    print(found)

import os
import tempfile
import time

import torch
import torch.multiprocessing as mp
import torch.nn as nn


class MetricWriter:
    def __init__(self, folder):
        self.path = os.path.join(folder, "metrics.csv")
        self.file = open(self.path, "a")  # object

    def write(self, step, **values):
        self.file.write("%d,%s\n" % (step, values))
        self.file.flush()


class Trainer:
    def __init__(self, model, epochs=1, folder=None):
        self.model = model
        self.epochs = epochs
        self.loss_fn = nn.MSELoss()
        self.writer = MetricWriter(folder or tempfile.mkdtemp())
        self.started = time.time()

    def train(self, rank, world_size):
        torch.manual_seed(rank)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for epoch in range(self.epochs):
            x = torch.randn(4, 3)
            loss = self.loss_fn(self.model(x), torch.zeros(4, 1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.writer.write(epoch, loss=float(loss))

    def launch(self, world_size=2):
        mp.spawn(self.train, args=(world_size,), nprocs=world_size, join=True)


def main():
    trainer = Trainer(nn.Linear(3, 1), epochs=2)
    trainer.launch()
    with open(trainer.writer.path) as f:
        assert len(f.read().splitlines()) == 4


if __name__ == "__main__":
    main()

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from .callbacks import Callback


class Trainer:
    def __init__(self, seed, callbacks: list[Callback] | None = None):
        self.seed = seed
        self.callbacks = callbacks or []

    def train(self, lr):
        score = 0.0
        for epoch in range(2):
            score += lr
            for callback in self.callbacks:
                callback.on_epoch(epoch, score)
        return score


def cross_validate(trainer: Trainer, rates):
    with ProcessPoolExecutor(max_workers=2) as pool:
        return list(pool.map(trainer.train, rates))

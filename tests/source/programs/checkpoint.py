import os
import pickle
import tempfile
import threading
import time


class EarlyStopping:
    def __init__(self, patience=3):
        self.patience = patience
        self.best = None
        self.on_improve = lambda score: None  # object

    def update(self, score):
        if self.best is None or score > self.best:
            self.best = score
            self.on_improve(score)


class Trainer:
    def __init__(self, folder):
        self.folder = folder
        self.epoch = 0
        self.stopper = EarlyStopping()

    def save(self):
        state = {"epoch": self.epoch, "stopper": self.stopper}
        path = os.path.join(self.folder, "ckpt-%d.pkl" % self.epoch)
        with open(path, "wb") as f:
            pickle.dump(state, f)
        return path

    def fit(self, scores):
        for self.epoch, score in enumerate(scores):
            self.stopper.update(score)
        return self.save()


def main():
    path = Trainer(tempfile.mkdtemp()).fit([0.1, 0.5])
    with open(path, "rb") as f:
        assert pickle.load(f)["stopper"].best == 0.5


if __name__ == "__main__":
    main()

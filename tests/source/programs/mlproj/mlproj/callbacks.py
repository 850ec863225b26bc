class Callback:
    def on_epoch(self, epoch, score):
        pass


class LogScores(Callback):
    def __init__(self, logger):
        self.logger = logger

    def on_epoch(self, epoch, score):
        self.logger.info("epoch %d: %.2f", epoch, score)


class Best(Callback):
    def __init__(self):
        self.best = 0.0

    def on_epoch(self, epoch, score):
        self.best = max(self.best, score)

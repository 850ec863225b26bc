from threading import Event, Thread


class Application:
    def __init__(self, name):
        self.name = name
        self.ticks = 0
        self.ticker = None
        self.stopping = Event()

    def start_ticker(self):
        self.ticker = Thread(target=self._tick, daemon=True)  # object
        self.ticker.start()

    def stop_ticker(self):
        self.stopping.set()
        self.ticker.join()

    def _tick(self):
        while not self.stopping.wait(0.01):
            self.ticks += 1

    def describe(self, n):
        return "%s %d" % (self.name, n)

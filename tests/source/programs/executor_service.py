import concurrent.futures
import os


class ThumbnailService:
    """Makes thumbnails in the background."""

    def __init__(self, workers=2):
        self.workers = workers
        self.executor = concurrent.futures.ProcessPoolExecutor(max_workers=workers)  # object
        self.pending = {}

    def make(self, name):
        return name.upper()

    def submit(self, name):
        future = self.executor.submit(self.make, name)
        self.pending[name] = future
        return future

    def results(self):
        return {name: f.result() for name, f in self.pending.items()}


def main():
    service = ThumbnailService()
    for name in ("a", "b"):
        service.submit(name)
    assert service.results() == {"a": "A", "b": "B"}


if __name__ == "__main__":
    main()

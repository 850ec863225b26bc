from concurrent.futures import ProcessPoolExecutor, as_completed

from .settings import Settings


def process(settings, item):
    return settings.values["workers"] * item


class Pipeline:
    def __init__(self, settings: Settings):
        self.settings = settings

    def run(self, items):
        results = []
        with ProcessPoolExecutor(self.settings.values["workers"]) as executor:
            futures = {executor.submit(process, self.settings, i): i for i in items}
            for future in as_completed(futures):
                results.append(future.result())
        return results

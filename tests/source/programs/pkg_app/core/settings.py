from . import cache


class Settings:
    def __init__(self, values):
        self.values = values
        self.cache = cache.Cache()


def load():
    return Settings({"workers": 2})

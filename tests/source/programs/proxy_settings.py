import types
from multiprocessing import Pool

DEFAULTS = {"step": 2}


class Settings:
    def __init__(self, **over):
        merged = dict(DEFAULTS, **over)
        self.values = types.MappingProxyType(merged)  # object

    def __getitem__(self, k):
        return self.values[k]


def advance(args):
    settings, n = args
    return n + settings["step"]


if __name__ == "__main__":
    s = Settings(mode="fast")
    with Pool(2) as pool:
        assert pool.map(advance, [(s, 1), (s, 2)]) == [3, 4]

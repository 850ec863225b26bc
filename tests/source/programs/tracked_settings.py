import multiprocessing as mp


class Tracked:
    """Counts the reads of another object's attributes."""

    def __init__(self, target):
        self._target = target
        self._reads = 0

    def __getattr__(self, name):  # object
        """Passes it on."""
        self._reads += 1
        return getattr(self._target, name)


class Settings:
    def __init__(self, **values):
        self.__dict__.update(values)


def area(settings):
    return settings.width * settings.height


def main():
    settings = Tracked(Settings(width=3, height=4))
    with mp.Pool(1) as pool:
        assert pool.apply_async(area, (settings,)).get(timeout=10) == 12


if __name__ == "__main__":
    main()

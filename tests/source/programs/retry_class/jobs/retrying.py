class retry:
    """Try a function some times."""

    def __init__(self, times=3):
        self.times = times

    def __call__(self, func):
        def attempt(*args):  # object
            last = None
            for _ in range(self.times):
                try:
                    return func(*args)
                except OSError as e:
                    last = e
            raise last
        return attempt

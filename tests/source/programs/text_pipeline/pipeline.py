from steps import Step


class Pipeline:
    def __init__(self, offsets):
        self.steps = [Step("add-%d" % n, lambda x, n=n: x + n) for n in offsets]  # object

    def run(self, value):
        for step in self.steps:
            value = step(value)
        return value

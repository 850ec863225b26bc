class Step:
    def __init__(self, name, function):
        self.name = name
        self.function = function

    def __call__(self, value):
        return self.function(value)

    def __repr__(self):
        return "<Step %s>" % self.name

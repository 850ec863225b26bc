"""Where the class is now."""


class Config:
    def __init__(self):
        self.rate = 0.1

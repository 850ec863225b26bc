from etl.base import Component


class Store(Component):
    def __init__(self, path):
        super().__init__("store")
        self.path = path

    def count(self, name):
        return len(name)

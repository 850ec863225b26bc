import copy
import threading


class Inventory:
    def __init__(self, items=()):
        self.items = dict(items)
        self.lock = threading.Lock()  # object
        self.watchers = []

    def add(self, name, n=1):
        with self.lock:
            self.items[name] = self.items.get(name, 0) + n

    def snapshot(self):
        return copy.deepcopy(self)


class Shop:
    def __init__(self, inventory):
        self.inventory = inventory
        self.history = []

    def sell(self, name):
        self.history.append(self.inventory.snapshot())
        self.inventory.add(name, -1)


def main():
    shop = Shop(Inventory([("apple", 2)]))
    shop.sell("apple")
    assert shop.history[0].items == {"apple": 2}
    assert shop.inventory.items == {"apple": 1}


if __name__ == "__main__":
    main()

"""A deep copy of an object that holds a lock."""
import copy
import threading


class Model:
    def __init__(self):
        self.weights = [1.0, 2.0]
        self._lock = threading.Lock()


if __name__ == "__main__":
    average = copy.deepcopy(Model())
    print(average.weights)

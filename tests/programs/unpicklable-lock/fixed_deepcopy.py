"""The copy gets a lock of its own."""
import copy
import threading


class Model:
    def __init__(self):
        self.weights = [1.0, 2.0]
        self._lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_lock", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.Lock()


if __name__ == "__main__":
    model = Model()
    average = copy.deepcopy(model)
    assert average._lock is not model._lock
    print(average.weights)

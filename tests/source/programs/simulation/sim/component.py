import abc
import threading


class Component(abc.ABC):
    def __init__(self, name):
        self.name = name
        self._changed = threading.Condition()  # object

    @abc.abstractmethod
    def step(self, t):
        ...

    def notify(self):
        with self._changed:
            self._changed.notify_all()

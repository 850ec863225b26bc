import threading


class Registry:
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance.items = {}
            cls._instance.lock = threading.Lock()  # object
        return cls._instance

    def register(self, name, value):
        with self.lock:
            self.items[name] = value

    def lookup(self, name):
        with self.lock:
            return self.items[name]

class Bus:
    def __init__(self):
        self._hooks = {}

    def on(self, event):
        def register(function):
            self._hooks.setdefault(event, []).append(function)
            return function

        return register

    def emit(self, event, payload):
        return [hook(payload) for hook in self._hooks.get(event, [])]

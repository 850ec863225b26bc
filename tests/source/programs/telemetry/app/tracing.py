import threading

_tracer = None


class Tracer:
    def __init__(self, service):
        self.service = service
        self.spans = []
        self.context = threading.local()  # object

    def span(self, name):
        self.context.current = name
        self.spans.append(name)


def get_tracer():
    global _tracer
    if _tracer is None:
        _tracer = Tracer("app")
    return _tracer

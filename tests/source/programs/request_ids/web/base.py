from contextvars import ContextVar


class Handler:
    def __init__(self):
        self.request_id = ContextVar("request_id", default=None)  # object
        self.count = 0

    def handle(self, request):
        raise NotImplementedError

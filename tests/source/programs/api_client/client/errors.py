class ClientError(Exception):
    """Anything that goes wrong here."""


class ApiError(ClientError):
    def __init__(self, status, body):  # object
        super().__init__("status %d: %s" % (status, body))
        self.status = status
        self.body = body

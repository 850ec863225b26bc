import ssl
import threading


class HttpClient:
    def __init__(self, base, verify=True, timeout=10):
        self.base = base
        self.timeout = timeout
        self.verify = verify
        self.context = ssl.create_default_context()  # object
        self.local = {}

    def get(self, path):
        return "%s%s" % (self.base, path)

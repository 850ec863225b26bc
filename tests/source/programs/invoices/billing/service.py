from .base import BaseService

RATE = 0.2


class InvoiceService(BaseService):
    def __init__(self, name, audit_path, rate=RATE):
        super().__init__(name, audit_path)
        self.rate = rate

    def total(self, items):
        return round(sum(items) * (1 + self.rate), 2)

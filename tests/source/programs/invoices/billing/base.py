import logging


class BaseService:
    """What every service has: a name and an audit trail."""

    def __init__(self, name, audit_path):
        self.name = name
        self.logger = logging.getLogger(name)
        self.setup_audit(audit_path)

    def setup_audit(self, path):
        self.audit = logging.FileHandler(path)  # object
        self.audit.setLevel(logging.INFO)

import logging
import threading


class Component:
    """Everything here has a name and a log."""

    def __init__(self, name):
        self.name = name
        self.log = logging.getLogger(name)
        self.state = threading.local()  # object

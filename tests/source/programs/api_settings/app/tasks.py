from .settings import Settings


def address(name):
    return Settings.base + "/" + name

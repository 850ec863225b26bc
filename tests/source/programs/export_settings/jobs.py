from settings import Settings


def export(name):
    return f"{Settings.target}/{name}.{Settings.fmt}"

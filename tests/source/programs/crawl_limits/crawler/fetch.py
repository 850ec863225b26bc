LIMITS = {}


def fetch(url):
    return f"{url}/{LIMITS['depth']}"

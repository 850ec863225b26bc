import sys
from concurrent.futures import ProcessPoolExecutor


class ServiceError(Exception):
    """Base of our errors."""


class QuotaExceeded(ServiceError):
    def __init__(self, user, limit):  # object
        super().__init__("%s exceeded %d" % (user, limit))
        self.user = user
        self.limit = limit


def charge(user):
    if user == "bob":
        raise QuotaExceeded(user, 10)
    return user


def main():
    refused = []
    with ProcessPoolExecutor(2) as executor:
        futures = [executor.submit(charge, u) for u in ("ann", "bob")]
        for future in futures:
            try:
                future.result()
            except QuotaExceeded as error:
                refused.append((error.user, error.limit))
    assert refused == [("bob", 10)]


if __name__ == "__main__":
    main()

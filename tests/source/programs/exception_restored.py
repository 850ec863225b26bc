import errno
from concurrent.futures import ProcessPoolExecutor


class DownloadError(OSError):
    def __init__(self, url, status, response):  # object
        super().__init__(f"{url}: {status}")
        self.url = url
        self.body = response["body"]


class NotThere(DownloadError):
    def __init__(self, url):
        super().__init__(url, 404, {"body": "no such page"})


def load(url):
    if url == "http://a":
        raise DownloadError(url, 500, {"body": "try later"})
    if url == "http://b":
        raise NotThere(url)
    return url


def main():
    failed = []
    with ProcessPoolExecutor(2) as executor:
        for future in [executor.submit(load, "http://" + name) for name in "abc"]:
            try:
                future.result()
            except DownloadError as error:
                assert error.errno != errno.ENOENT
                failed.append((type(error), str(error), error.url, error.body))
    assert failed == [
        (DownloadError, "http://a: 500", "http://a", "try later"),
        (NotThere, "http://b: 404", "http://b", "no such page"),
    ], failed


if __name__ == "__main__":
    main()

from concurrent.futures import ProcessPoolExecutor


class HttpError(Exception):
    def __init__(self, status, url, *, retry_after=0):
        super().__init__("%s returned %d" % (url, status))
        self.status = status
        self.url = url
        self.retry_after = retry_after


class TooManyRequests(HttpError):
    def __init__(self, url, retry_after):  # object
        super().__init__(429, url, retry_after=retry_after)


def fetch(url):
    if "busy" in url:
        raise TooManyRequests(url, 7)
    return len(url)


def main():
    sizes, waits = {}, {}
    with ProcessPoolExecutor(2) as pool:
        futures = {url: pool.submit(fetch, url) for url in ("/a", "/busy", "/long")}
        for url, future in futures.items():
            try:
                sizes[url] = future.result()
            except TooManyRequests as error:
                waits[error.url] = error.retry_after
                assert error.status == 429 and "returned 429" in str(error)
    assert sizes == {"/a": 2, "/long": 5} and waits == {"/busy": 7}


if __name__ == "__main__":
    main()

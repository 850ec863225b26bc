import functools
import multiprocessing
import ssl


class Api:
    def __init__(self, base, verify=True):
        self.base = base
        self.headers = {"accept": "json"}
        self.tls = ssl.create_default_context() if verify else None  # object

    def get(self, path):
        return self.base + path


def fetch(api, timeout, path):
    return len(api.get(path)) + timeout


def main():
    api = Api("http://localhost/")
    task = functools.partial(fetch, api, 3)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for n in pool.imap_unordered(task, ["a", "b"], chunksize=1):
            print(n)


if __name__ == "__main__":
    main()

import multiprocessing
from concurrent.futures import ThreadPoolExecutor


class Downloader:
    def __init__(self, workers):
        self.workers = workers
        self.pool = ThreadPoolExecutor(max_workers=workers)  # object
        self.seen = set()

    def fetch(self, url):
        return url.upper()

    def crawl(self, urls):
        with multiprocessing.Pool(2) as pool:
            return pool.map(self.fetch, urls)


if __name__ == "__main__":
    print(Downloader(2).crawl(["a", "b"]))

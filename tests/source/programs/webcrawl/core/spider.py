from core import http
from core.store import MemoryStore


class Spider:
    name = "spider"

    def __init__(self, start_urls, client=None, store=None):
        self.start_urls = list(start_urls)
        self.client = client if client is not None else http.HttpClient("http://x")
        self.store = store or MemoryStore()

    def parse(self, url):
        return len(self.client.get(url))

    def crawl(self, pool):
        async_results = pool.map_async(self.parse, self.start_urls)
        return async_results.get(30)

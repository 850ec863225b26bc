import logging
from collections import namedtuple

from .config import CrawlConfig
from .limits import RateLimiter

Page = namedtuple("Page", "url status body")


class Fetcher:
    def __init__(self, config: CrawlConfig):
        self.config = config
        self.log = logging.getLogger(__name__)
        self.limiter = RateLimiter(per_second=100)

    def fetch(self, url):
        self.limiter.wait()
        self.log.debug("GET %s", url)
        return Page(url, 200, "<html>%s</html>" % url)

import argparse
import logging
import multiprocessing
import sys

from crawler.config import CrawlConfig, load_config
from crawler.fetch import Fetcher

log = logging.getLogger("crawler")


def parse_args(argv):
    parser = argparse.ArgumentParser(description="fetch some pages")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--depth", type=int, default=1)
    return parser.parse_args(argv)


def main(argv=None):
    args = parse_args(argv)
    logging.basicConfig(level=logging.WARNING)
    config = load_config(depth=args.depth)
    fetcher = Fetcher(config)
    urls = ["/a", "/b", "/c"]
    with multiprocessing.Pool(args.workers) as pool:
        pages = pool.map(fetcher.fetch, urls)
    log.info("fetched %d pages", len(pages))
    assert [p.status for p in pages] == [200] * 3
    print("ok", len(pages))
    return 0


if __name__ == "__main__":
    sys.exit(main())

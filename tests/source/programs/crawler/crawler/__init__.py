"""A small crawler."""
__all__ = ["CrawlConfig", "Fetcher"]

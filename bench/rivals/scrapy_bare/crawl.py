"""`crawl.py SEED LIMIT`: nothing of Scrapy but its engine, within documented settings."""

from fast_spider import SETTINGS, run

if __name__ == "__main__":
    run({**SETTINGS, "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor"})

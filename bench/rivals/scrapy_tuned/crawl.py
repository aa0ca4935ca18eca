"""`crawl.py SEED LIMIT`: Scrapy tuned by hand within its documented settings."""

from fast_spider import run

if __name__ == "__main__":
    run({"TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor"})

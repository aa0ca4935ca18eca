"""`crawl.py SEED LIMIT`: a CrawlSpider with a LinkExtractor, robots off, no delay. LIMIT 0 is none."""

import sys

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from stopwatch import Stopwatch

SETTINGS = {
    "ROBOTSTXT_OBEY": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 100,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 100,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}


class FollowEverything(CrawlSpider):
    """Follows every link of every page."""

    name = "follow_everything"
    rules = (Rule(LinkExtractor(), callback="count", follow=True),)
    pages = 0

    def count(self, response):
        type(self).pages += 1

    parse_start_url = count


def main() -> None:
    seed, limit = sys.argv[1], int(sys.argv[2])
    process = CrawlerProcess({**SETTINGS, "CLOSESPIDER_PAGECOUNT": limit})
    watch = Stopwatch()
    process.crawl(FollowEverything, start_urls=[seed])
    process.start()
    watch.report(FollowEverything.pages)


if __name__ == "__main__":
    main()

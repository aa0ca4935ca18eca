"""Scrapy spiders that follow every link, and one with all that can be left out left out: what the rivals share.

The fast one: no middlewares, no extensions, no statistics, no duplicate filter but a set of
strings, links by one regular expression, uvloop, rare garbage collections, and
one worker for the output of a page instead of a hundred tasks. Imported by the
rivals' scripts, each in its own environment.
"""

import gc
import re
import sys
from urllib.parse import urljoin

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import CloseSpider
from stopwatch import Stopwatch

HREF = re.compile(rb'<a\s[^>]*?href="([^"#]+)')
SETTINGS = {
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "ROBOTSTXT_OBEY": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_ITEMS": 1,
    "CONCURRENT_REQUESTS": 100,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 100,
    "DOWNLOADER_MIDDLEWARES_BASE": {},
    "SPIDER_MIDDLEWARES_BASE": {},
    "EXTENSIONS_BASE": {},
    "DOWNLOADER_STATS": False,
    "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    "LOG_ENABLED": False,
}


class Follow(Spider):
    """Follows every link it has not met; `links` finds them."""

    name = "follow"
    pages = 0
    limit = 0

    async def start(self):
        self.seen = set(self.start_urls)
        for url in self.start_urls:
            yield Request(url, dont_filter=True)

    def parse(self, response):
        Follow.pages += 1
        if Follow.pages == self.limit:
            raise CloseSpider("enough pages")
        for link in self.links(response):
            if link not in self.seen:
                self.seen.add(link)
                yield Request(link, dont_filter=True)


class FollowFast(Follow):
    """Finds links by the regular expression."""

    def links(self, response):
        address = response.url
        site = address[: address.index("/", 8)]
        for href in HREF.findall(response.body):
            link = href.decode("utf-8")
            if link[0] == "/" and link[1:2] != "/":
                link = site + link
            elif not link.startswith("http"):
                link = urljoin(address, link)
            yield link


class FollowParsed(Follow):
    """Finds links in the parsed page."""

    def links(self, response):
        for href in response.xpath("//a/@href").getall():
            yield response.urljoin(href.partition("#")[0])


def run(settings: dict, spider: type[Follow] = FollowFast, *, collect_rarely: bool = True) -> None:
    """Crawl from the seed on the command line (`SEED LIMIT`; a limit of 0 is none)."""
    seed, limit = sys.argv[1], int(sys.argv[2])
    if collect_rarely:
        gc.set_threshold(200_000)
    process = AsyncCrawlerProcess(settings)
    watch = Stopwatch()
    process.crawl(spider, start_urls=[seed], limit=limit)
    process.start()
    watch.report(Follow.pages)

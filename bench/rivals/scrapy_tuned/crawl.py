"""`crawl.py SEED LIMIT`: Scrapy as its documentation tunes it for broad crawls, with a seen-set of its own.

What a crawl does not need is switched off by its setting; pages are parsed, and their
links taken by one XPath instead of a LinkExtractor. LIMIT 0 is none.
"""

from fast_spider import Follow, run

SETTINGS = {
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
    "CONCURRENT_REQUESTS": 100,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 100,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "REFERER_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_ENABLED": False,
}


class FollowTuned(Follow):
    """Finds links in the parsed page."""

    def links(self, response):
        for href in response.xpath("//a/@href").getall():
            yield response.urljoin(href.partition("#")[0])


if __name__ == "__main__":
    run(SETTINGS, FollowTuned)

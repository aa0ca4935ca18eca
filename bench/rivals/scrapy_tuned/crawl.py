"""`crawl.py SEED LIMIT`: Scrapy as its documentation tunes it for broad crawls, with a seen-set of its own.

Pages are parsed, and their links taken by one XPath instead of a LinkExtractor. LIMIT 0 is none.
"""

from fast_spider import FollowParsed, run

SETTINGS = {
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "CONCURRENT_REQUESTS": 100,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 100,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}

if __name__ == "__main__":
    run(SETTINGS, FollowParsed, collect_rarely=False)

"""`crawl.py SEED LIMIT`: beyond what Scrapy's documentation advises: uvloop, no statistics, rare garbage collections.

What a crawl does not need is switched off by its setting; pages are still parsed. LIMIT 0 is none.
"""

from fast_spider import FollowParsed, run
from scrapy_tuned.crawl import SETTINGS as TUNED

SETTINGS = {
    **TUNED,
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
    "REFERER_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_ENABLED": False,
}

if __name__ == "__main__":
    run(SETTINGS, FollowParsed)

"""`crawl.py SEED LIMIT`: Crawlee's ParselCrawler on memory storage, robots off, no delay. LIMIT 0 is none."""

import asyncio
import logging
import sys

from crawlee import ConcurrencySettings, service_locator
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
from stopwatch import Stopwatch

CONNECTIONS = 100


async def crawl(seed: str, limit: int) -> None:
    service_locator.set_storage_client(MemoryStorageClient())
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(
            min_concurrency=CONNECTIONS, desired_concurrency=CONNECTIONS, max_concurrency=CONNECTIONS
        ),
        max_requests_per_crawl=limit or None,
        respect_robots_txt_file=False,
        use_session_pool=False,
        configure_logging=False,
    )
    pages = 0

    @crawler.router.default_handler
    async def follow_everything(context: ParselCrawlingContext) -> None:
        nonlocal pages
        pages += 1
        await context.enqueue_links(strategy="all")

    watch = Stopwatch()
    await crawler.run([seed])
    watch.report(pages)


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    asyncio.run(crawl(sys.argv[1], int(sys.argv[2])))

"""`crawl.py SEED LIMIT`: beyond documented settings: no Twisted reactor, and a private handler by aiohttp."""

from fast_spider import SETTINGS, run

HANDLER = "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"

if __name__ == "__main__":
    run({**SETTINGS, "TWISTED_REACTOR_ENABLED": False, "DOWNLOAD_HANDLERS": {"http": HANDLER}})

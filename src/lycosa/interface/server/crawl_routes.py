"""Where the pages about crawls are found."""

from __future__ import annotations

from starlette.routing import Route

from lycosa.interface.api.metrics import metrics
from lycosa.interface.web.crawl_pages import (
    crawl_page,
    crawls_page,
    health,
    logs_page,
    sparkline_svg,
    status_json,
    why_page,
)
from lycosa.interface.web.live_updates import crawl_events, list_events, log_events
from lycosa.interface.web.settings_pages import settings_page
from lycosa.interface.web.setup_pages import set_up_page

CRAWL_ROUTES = [
    Route("/", crawls_page),
    Route("/crawls/new", set_up_page),
    Route("/crawls/events", list_events),
    Route("/crawl/{name}", crawl_page),
    Route("/crawl/{name}/settings", settings_page),
    Route("/crawl/{name}/why", why_page),
    Route("/crawl/{name}/logs", logs_page),
    Route("/crawl/{name}/events", crawl_events),
    Route("/crawl/{name}/logs/events", log_events),
    Route("/crawl/{name}/status.json", status_json),
    Route("/crawl/{name}/sparkline.svg", sparkline_svg),
    Route("/metrics", metrics),
    Route("/health", health),
]

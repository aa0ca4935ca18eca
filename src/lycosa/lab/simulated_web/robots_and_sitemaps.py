"""What a host of a simulated web tells crawlers: its robots.txt and its sitemaps."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from lycosa.lab.simulated_web.link_map import WebMap

SITEMAP_URLS = 10_000
"""URLs per sitemap file; a host with more pages has an index of several."""

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


class Manners(NamedTuple):
    """What a host asks of crawlers. A host without robots.txt asks for nothing."""

    silent: bool = False
    private: bool = False
    crawl_delay: int | None = None


def manners(bits: int) -> Manners:
    """A host's wishes: most have none, some keep `/private/` to themselves, some want to be visited slowly."""
    roll = bits % 10
    return Manners(silent=roll == 0, private=roll in (1, 2, 3), crawl_delay=1 if roll == 4 else None)


def robots_txt(site: str, wishes: Manners) -> bytes:
    """A host's robots.txt."""
    lines = ["User-agent: *", "Disallow: /private/" if wishes.private else "Disallow:"]
    if wishes.crawl_delay is not None:
        lines.append(f"Crawl-delay: {wishes.crawl_delay}")
    return "\n".join([*lines, "", f"Sitemap: {site}/sitemap.xml", ""]).encode()


def sitemap_files(pages: int) -> int:
    """How many files the sitemap of a host with that many pages has."""
    return -(-pages // SITEMAP_URLS)


def sitemap_index(web: WebMap, host: int) -> bytes:
    """The list of a large host's sitemap files."""
    site, count = web.site(host), sitemap_files(web.sizes[host])
    entries = "".join(f"<sitemap><loc>{site}/sitemap-{k}.xml</loc></sitemap>\n" for k in range(count))
    return f"{_HEAD}<sitemapindex {_SPACE}>\n{entries}</sitemapindex>\n".encode()


def sitemap(entries: Iterable[tuple[str, float | None]]) -> bytes:
    """A sitemap file of (URL, time of its last change or None)."""
    lines = [f"<url><loc>{url}</loc>{_lastmod(at)}</url>\n" for url, at in entries]
    return f"{_HEAD}<urlset {_SPACE}>\n{''.join(lines)}</urlset>\n".encode()


def _lastmod(at: float | None) -> str:
    if at is None:
        return ""
    return f"<lastmod>{datetime.fromtimestamp(int(at), UTC).isoformat()}</lastmod>"

"""How a crawl reads the sitemaps of its sites: when a site is opened, and as links to its pages (M7).

A sitemap is fetched like any page, so admission of its entries, politeness, robots.txt
and the archive are those of pages; but it is no page: it is not judged, not counted and
not indexed. Its entries wait behind everything that a page has pointed to.
"""

from __future__ import annotations

from lycosa.configuration.sections import Sitemaps
from lycosa.fetching.sitemaps import SitemapEntry, read_sitemap, well_known
from lycosa.queue_records import SitemapLink
from lycosa.records import SITEMAP, Fetched, Link, Page, Score, SiteOpened, Visit
from lycosa.urls import normalise, site_of

FIRST = Score(1.0, "the site's sitemap")
NAMED = 0.01
"""What an entry of middling priority waits with: as much as a link that nobody has reason to follow."""


def sitemap_links(opened: SiteOpened, settings: Sitemaps) -> list[Link]:
    """The sitemaps to begin a site with: those that its robots.txt names, else the usual place."""
    if not settings.read:
        return []
    named = [url for each in opened.sitemaps if (url := normalise(each)) is not None]
    if not named and settings.guess:
        named = [well_known(opened.site)]
    parent = f"{opened.site}/robots.txt"
    return [Link(url, parent=parent, rel=SITEMAP) for url in dict.fromkeys(named)][: settings.most_files]


def sitemap_visit(link: Link, outcome: Fetched, settings: Sitemaps, at: float, *, drop_tracking: bool = True) -> Visit:
    """What a sitemap says, as a page that is nothing but links."""
    pieces = [outcome.response.body]
    vouched = {site_of(link.parent)} if link.parent else set()
    follow = link.depth == 0
    found = read_sitemap(link.url, pieces, at, vouched=vouched, follow=follow, drop_tracking=drop_tracking)
    lists = [entry for entry in found.entries if entry.is_sitemap][: settings.most_files]
    entries = [*lists, *(entry for entry in found.entries if not entry.is_sitemap)]
    links = tuple(_link(entry, link, place) for place, entry in enumerate(entries))
    why = f"named in the sitemap {link.url}"
    scores = tuple(FIRST if entry.is_sitemap else Score(2 * NAMED * entry.priority, why) for entry in entries)
    return Visit(link, outcome, Page(link.url, noindex=True, links=links), None, scores, at)


def _link(entry: SitemapEntry, found_in: Link, place: int) -> Link:
    depth, parent = found_in.depth + 1, found_in.url
    if entry.is_sitemap:
        return Link(entry.url, parent, rel=SITEMAP, position=place, depth=depth, lastmod=entry.lastmod)
    return SitemapLink(entry.url, parent, position=place, depth=depth, lastmod=entry.lastmod, changes=entry.changefreq)

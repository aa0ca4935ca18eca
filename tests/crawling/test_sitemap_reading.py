"""A sitemap as a crawl reads it: where it begins, and a page that is nothing but links."""

from __future__ import annotations

import pytest

from lycosa.configuration.sections import Sitemaps
from lycosa.crawling.sitemap_reading import FIRST, NAMED, sitemap_links, sitemap_visit
from lycosa.queue_records import SitemapLink
from lycosa.records import SITEMAP, Fetched, Link, Response, SiteOpened, Visit

SITE = "https://a.example"
INDEX = b"""<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>https://a.example/one.xml</loc></sitemap><sitemap><loc>https://a.example/two.xml</loc></sitemap>
</sitemapindex>"""
PAGES = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://a.example/p?utm_source=x</loc><lastmod>2024-05-01</lastmod><changefreq>daily</changefreq>
<priority>1.0</priority></url><url><loc>https://a.example/q</loc></url></urlset>"""


def opened(*sitemaps: str) -> SiteOpened:
    return SiteOpened(SITE, "192.0.2.1", sitemaps=sitemaps)


def read(body: bytes, depth: int = 0, settings: Sitemaps | None = None, *, drop_tracking: bool = True) -> Visit:
    link = Link(f"{SITE}/sitemap.xml", f"{SITE}/robots.txt", rel=SITEMAP, depth=depth)
    response = Response(link.url, 200, (("content-type", "text/xml"),), body)
    return sitemap_visit(link, Fetched(link, response), settings or Sitemaps(), 1.75e9, drop_tracking=drop_tracking)


@pytest.mark.parametrize(
    ("named", "settings", "wanted"),
    [
        ((f"{SITE}/a.xml", f"{SITE}/a.xml", "no address"), Sitemaps(), [f"{SITE}/a.xml"]),
        ((), Sitemaps(guess=True), [f"{SITE}/sitemap.xml"]),
        ((), Sitemaps(guess=False), []),
        ((f"{SITE}/a.xml",), Sitemaps(read=False), []),
        ((f"{SITE}/a.xml", f"{SITE}/b.xml"), Sitemaps(most_files=1), [f"{SITE}/a.xml"]),
    ],
)
def test_a_site_begins_with_what_its_robots_txt_names(
    named: tuple[str, ...], settings: Sitemaps, wanted: list[str]
) -> None:
    found = sitemap_links(opened(*named), settings)
    assert [link.url for link in found] == wanted
    assert all(link.rel == SITEMAP and link.parent == f"{SITE}/robots.txt" for link in found)


def test_entries_are_links_with_what_the_sitemap_says_of_them() -> None:
    visit = read(PAGES)
    assert visit.page is not None
    first, second = visit.page.links
    assert isinstance(first, SitemapLink)
    assert (first.url, first.parent, first.depth) == (f"{SITE}/p", f"{SITE}/sitemap.xml", 1)
    assert (first.lastmod is not None, first.changes) == (True, "daily")
    assert (second.url, second.lastmod) == (f"{SITE}/q", None)
    assert [score.value for score in visit.priorities] == [2 * NAMED, NAMED]
    assert visit.page.noindex
    assert visit.relevance is None


def test_tracking_parameters_stay_where_they_are_wanted() -> None:
    page = read(PAGES, drop_tracking=False).page
    assert page is not None
    assert page.links[0].url == f"{SITE}/p?utm_source=x"


def test_an_index_leads_to_sitemaps_first_and_only_so_many() -> None:
    visit = read(INDEX, settings=Sitemaps(most_files=1))
    assert visit.page is not None
    assert [(link.url, link.rel) for link in visit.page.links] == [(f"{SITE}/one.xml", SITEMAP)]
    assert visit.priorities == (FIRST,)


def test_an_index_within_an_index_leads_nowhere() -> None:
    page = read(INDEX, depth=1).page
    assert page is not None
    assert page.links == ()

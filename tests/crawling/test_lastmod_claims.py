"""A crawl and what sitemaps claim: newer pages are fetched again while a site is believed; sites come in order."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import tiny_web
from test_revisit_round import BEGIN, Clock
from tiny_web import TinyWeb, page

from lycosa.crawling.lastmod_claims import SitemapClaims
from lycosa.crawling.site_priorities import SitePlaces, places_of
from lycosa.inspection.report import crawl_report
from lycosa.interface.views.report_page import report_page
from lycosa.records import SITEMAP, Failed, Fetched, Link, Page, Response, Unchanged, Visit

SITE = "https://news.example"


def urlset(pages: dict[str, str]) -> str:
    entries = "".join(f"<url><loc>{url}</loc><lastmod>{when}</lastmod></url>" for url, when in pages.items())
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


def visit(url: str, text: str = "text", rel: str = "", changed: bool = True, links: tuple[Link, ...] = ()) -> Visit:
    link = Link(url, rel=rel)
    response = Response(url, 200)
    outcome = Fetched(link, response) if changed else Unchanged(link, response)
    return Visit(link, outcome, Page(url, text=text, digest=text.encode(), links=links) if changed else None)


class Served:
    """A site whose second sitemap is written after its first pages were fetched, and calls them all newer."""

    def __init__(self, clock: Clock, changes: bool) -> None:
        self._clock, self._changes = clock, changes
        self._asked: dict[str, int] = {}

    def __call__(self, url: str) -> str | None:
        path = url.removeprefix(SITE)
        times = self._asked[path] = self._asked.get(path, 0) + 1
        if path == "/sitemap.xml":
            self._clock.set(self._clock() + 1000)
            now = datetime.fromtimestamp(self._clock() - 10, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            return urlset({f"{SITE}/{number}": now for number in range(3)})
        return page(f"news {path} {times if self._changes else ''}", []) if path[1:].isdigit() else None


def crawled(home: Path, changes: bool) -> tuple[list[str], dict[str, int], list[tuple[str, float]]]:
    clock = Clock(BEGIN)
    web = TinyWeb(Served(clock, changes), {SITE: (f"{SITE}/sitemap.xml",)})
    folder = tiny_web.crawl_folder(home, [f"{SITE}/0"], storage={"batch_visits": 1})
    asked = tiny_web.run(folder, web, time=clock)
    outcome = "fetched" if changes else "unchanged"
    rows = [(row.url, row.claimed) for row in tiny_web.rows(folder, outcome) if row.claimed is not None]
    return asked, crawl_report(folder).status.sums, rows


def test_a_page_that_a_sitemap_calls_newer_is_fetched_once_more(tmp_path: Path) -> None:
    asked, sums, rows = crawled(tmp_path, changes=True)
    assert asked.count(f"{SITE}/0") == 2
    assert asked.count(f"{SITE}/1") == asked.count(f"{SITE}/2") == 1
    assert (sums["fetched"], sums["said_newer"], sums["looked_again"], sums["changed"]) == (3, 1, 1, 1)
    assert [url for url, _ in rows] == [f"{SITE}/0"]


def test_a_page_that_did_not_change_after_all_is_not_stored_again(tmp_path: Path) -> None:
    asked, sums, rows = crawled(tmp_path, changes=False)
    assert asked.count(f"{SITE}/0") == 2
    assert (sums["fetched"], sums["looked_again"], sums["changed"], sums["duplicates"]) == (3, 1, 0, 0)
    assert [url for url, _ in rows] == [f"{SITE}/0"]


def test_a_site_that_cried_wolf_is_not_believed_any_more() -> None:
    claims = SitemapClaims()
    believed = []
    for number in range(10):
        url = f"{SITE}/{number}"
        believed.append(claims.renewal(url, 5.0))
        if believed[-1]:
            assert claims.of(url) == 5.0
        claims.judge([claims.compared(visit(url, "same"), lambda digest, url=url: url)])  # type: ignore[misc]
        assert claims.of(url) is None
    assert believed == [True] * 5 + [False] * 5
    assert claims.renewal("https://other.example/1", 5.0)
    assert claims.taken == 6


def test_a_site_that_spoke_the_truth_is_believed_on() -> None:
    claims = SitemapClaims()
    for number in range(10):
        assert claims.renewal(f"{SITE}/{number}", 5.0)
        claims.judge([claims.compared(visit(f"{SITE}/{number}", str(number)), lambda digest: None)])


def test_a_page_that_fails_is_expected_while_it_is_tried_again_and_says_nothing_of_its_site() -> None:
    claims, link = SitemapClaims(), Link(f"{SITE}/1")
    for _ in range(9):
        assert claims.renewal(link.url, 5.0)
        claims.judge([Visit(link, Failed(link, "timeout", again=True))])
        assert claims.of(link.url) == 5.0
        claims.judge([Visit(link, Failed(link, "http-404"))])
        assert claims.of(link.url) is None


# -- the order of sites ------------------------------------------------------------------------------------------

EXAMPLE = {"A": "a1 a2 a3 a4", "B": "b1 b2 a1 b3", "C": "c1 c2 c3", "D": "d1 d2 d3 d4", "E": "e1 e2 b3 e3 b1",
           "F": "f1 f2 d1 e1"}  # fmt: skip


def sitemap(site: str, names: str) -> Visit:
    links = tuple(Link(f"https://all.example/{name}") for name in names.split())
    return visit(f"https://{site.lower()}.example/sitemap.xml", rel=SITEMAP, links=links)


def letters(places: SitePlaces) -> str:
    return "".join(place.site.removeprefix("https://")[0] for place in places.order).upper()


def test_sites_are_ordered_by_the_links_that_their_sitemaps_bring() -> None:
    places = SitePlaces()
    places.note([sitemap(site, names) for site, names in EXAMPLE.items()])
    places.note([visit("https://g.example/", links=(Link("https://g.example/1"),))])
    found = places.anew(0.0)
    assert letters(places) == "EADCFB"
    assert found is not None
    assert found["https://e.example"] == 0
    assert places.anew(1e9) is None, "nothing is new"


def test_several_sitemaps_of_a_site_count_together() -> None:
    places = SitePlaces()
    places.note([sitemap("A", "1 2 3"), sitemap("B", "4 5 6 7"), sitemap("A", "3 8 9")])
    places.anew(0.0)
    assert [place.new_links for place in places.order] == [5, 4]
    assert letters(places) == "AB"


def test_the_order_is_kept_and_goes_on_after_a_restart() -> None:
    places = SitePlaces()
    places.note([sitemap(site, names) for site, names in EXAMPLE.items()])
    places.anew(0.0)
    (kept,) = places.kept().values()
    again = SitePlaces(kept)
    assert again.anew(0.0) is not None
    assert letters(again) == "EADCFB"
    again.note([sitemap("G", " ".join(f"g{number}" for number in range(9)))])
    again.anew(1e9)
    assert letters(again) == "GEADCFB"
    assert places_of(None) == []


def test_the_order_is_not_found_again_too_soon() -> None:
    places = SitePlaces()
    places.note([sitemap("A", "1 2")])
    assert places.anew(0.0) is not None
    places.rest(0.0, 1.0)
    places.note([sitemap("B", "3 4 5")])
    assert places.anew(99.0) is None
    assert places.anew(101.0) == {"https://b.example": 0, "https://a.example": 1}


def test_the_links_that_are_remembered_are_bounded() -> None:
    places = SitePlaces(most_links=50)
    for site in range(20):
        places.note([sitemap(f"{chr(97 + site)}", " ".join(f"{site}-{number}" for number in range(20 - site)))])
        places.anew(1e9 * site)
    assert sum(len(numbers) for numbers in places._links.values()) <= 50
    assert letters(places) == "ABCDEFGHIJKLMNOPQRST"


def test_a_crawl_reports_the_order_of_its_sites(tmp_path: Path) -> None:
    sizes = {"https://a.example": 2, "https://b.example": 5, "https://c.example": 3}

    def answer(url: str) -> str | None:
        site, _, path = url.removeprefix("https://").partition("/")
        if path == "sitemap.xml":
            return urlset({f"https://{site}/{number}": "2020-01-01" for number in range(sizes[f"https://{site}"])})
        return page(f"{site} {path}", [f"{other}/0" for other in sizes]) if path.isdigit() else None

    folder = tiny_web.crawl_folder(tmp_path, ["https://a.example/0"])
    web = TinyWeb(answer, {site: (f"{site}/sitemap.xml",) for site in sizes})
    tiny_web.run(folder, web)
    report = crawl_report(folder)
    told = [(place["site"], place["new_links"]) for place in report.plain()["site_order"]]
    assert told == [("https://b.example", 5), ("https://c.example", 3), ("https://a.example", 2)]
    assert "what their sitemaps bring" in report_page(report)
    plain = tiny_web.crawl_folder(tmp_path / "plain", ["https://a.example/0"], sitemaps={"order_sites": False})
    tiny_web.run(plain, web)
    assert crawl_report(plain).plain()["site_order"] == []

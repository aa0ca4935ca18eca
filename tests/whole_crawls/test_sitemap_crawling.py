"""A crawl reads sitemaps: it finds pages that nothing links to, and keeps sitemaps apart from pages."""

from __future__ import annotations

from pathlib import Path

import tiny_web
import whole_crawl

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.inspection.sitemap_coverage import crawl_coverage
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.search.index import IndexReader
from lycosa.storage import catalogue
from lycosa.storage.catalogue import VisitRow

WEB = "box:7?hosts=4&pages=120&unlinked=0.2&errors=0&duplicates=0"


def rows(folder: CrawlFolder, outcome: str) -> list[VisitRow]:
    with reading(folder) as stores:
        return [row for store in stores for _, row in catalogue.history(store) if row.outcome == outcome]


def test_unlinked_pages_are_found_through_the_sitemap_and_only_so(tmp_path: Path) -> None:
    web = SimulatedWeb.of(WEB, begins=0.0)
    linked = web.reachable_from(web.roots())
    pages = set(web.page_urls())
    assert len(pages - linked) > 10

    without = whole_crawl.crawl_folder(tmp_path / "without", WEB, sitemaps={"read": False})
    whole_crawl.run(without)
    assert not {row.url for row in rows(without, "fetched")} & (pages - linked)

    with_them = whole_crawl.crawl_folder(tmp_path / "with", WEB)
    whole_crawl.run(with_them)
    fetched = {row.url for row in rows(with_them, "fetched")}
    assert {url for url in pages if web.respond(url).status == 200 and "/private/" not in url} <= fetched


def test_sitemaps_elsewhere_are_not_asked_for_where_their_sites_are_out_of_bounds(tmp_path: Path) -> None:
    here, there, evil = "http://a.example/", "http://b.example/sitemap.xml", "http://evil.a.example/sitemap.xml"
    scope = {"sites": "seeds", "block": ["evil.a.example"]}
    folder = tiny_web.crawl_folder(tmp_path, [here], scope=scope)
    web = tiny_web.TinyWeb(lambda url: tiny_web.page("birds", []), {"http://a.example": (there, evil)})
    assert tiny_web.run(folder, web) == [here]
    with reading(folder) as (store,):
        fates = {record.url: record.why for record in store.urls()}
    assert fates[there].startswith("out-of-scope")
    assert fates[evil] == "blocked: evil.a.example"


def test_a_sitemap_is_no_page(tmp_path: Path) -> None:
    folder = whole_crawl.crawl_folder(tmp_path, WEB)
    whole_crawl.run(folder)
    sitemaps = {row.url for row in rows(folder, "sitemap")}
    assert len(sitemaps) == 4
    assert not sitemaps & {row.url for row in rows(folder, "fetched")}
    assert not sitemaps & IndexReader(folder.index).urls()
    with reading(folder) as (store,):
        assert not sitemaps & {row["parent"] for row in catalogue.link_rows(store)}


def test_the_budget_of_pages_is_not_spent_on_sitemaps(tmp_path: Path) -> None:
    folder = whole_crawl.crawl_folder(tmp_path, WEB, pages=20)
    whole_crawl.run(folder)
    assert len(rows(folder, "fetched")) == 20


def test_the_coverage_of_a_crawl_is_that_of_its_sitemaps(tmp_path: Path) -> None:
    folder = whole_crawl.crawl_folder(tmp_path, WEB)
    whole_crawl.run(folder)
    fetched = {row.url for row in rows(folder, "fetched")}
    named = set(SimulatedWeb.of(WEB, begins=0.0).page_urls()) & fetched
    found = crawl_coverage(folder)
    assert sum(each.pages for each in found.values()) == len(fetched)
    assert sum(each.named for each in found.values()) == len(named)
    for each in found.values():
        assert each.coverage is not None
        assert each.pagerank is not None
        assert 0.5 < each.coverage <= 1.0
        assert 0.5 < each.pagerank <= 1.0

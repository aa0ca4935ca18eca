"""A page that names another URL as canonical is that one's duplicate, if the other says the same; else both stay."""

from __future__ import annotations

from pathlib import Path
from time import time

import pytest
import tiny_web
from tiny_web import TinyWeb

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.assembly import build_agent
from lycosa.indexing.duplicate_index import SimilarPages
from lycosa.indexing.index_process import open_writer
from lycosa.indexing.indexer import Indexer
from lycosa.inspection.explanation import explain
from lycosa.inspection.report import crawl_report
from lycosa.plugins.plug_points import Known
from lycosa.records import Fetched, Link, Outcome, Redirected, Response
from lycosa.search.index import IndexReader
from lycosa.storage.catalogue import VisitRow
from lycosa.supervision.control_channel import Desk

SITE, OTHER = "https://a.example", "https://b.example"
SPIDERS = " ".join(f"the wolf spider {number} waits at burrow{number}" for number in range(90))
BIRDS = " ".join(f"a bird {number} sings in tree{number}" for number in range(90))


def page(text: str, links: list[str] | None = None, canonical: str = "", head: str = "") -> str:
    named = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    listed = "".join(f'<li><a href="{link}">see {place}</a></li>' for place, link in enumerate(links or []))
    return f"<html><head><title>t</title>{named}{head}</head><body><main><p>{text}.</p></main><ul>{listed}</ul>"


class Web(TinyWeb):
    """Pages by URL; some lead elsewhere, some name their canonical URL in a header."""

    def __init__(self, pages: dict[str, str]) -> None:
        super().__init__(lambda url: self.pages.get(url))
        self.pages = pages
        self.moved: dict[str, tuple[int, str]] = {}
        self.headers: dict[str, str] = {}

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        if link.url in self.moved:
            self.asked.append(link.url)
            status, target = self.moved[link.url]
            return Redirected(link, target, Response(link.url, status, (("Location", target),)))
        outcome = await super().fetch(link, known)
        if isinstance(outcome, Fetched) and link.url in self.headers:
            came = outcome.response
            more = (*came.headers, ("Link", f'<{self.headers[link.url]}>; rel="canonical"'))
            return Fetched(link, Response(came.url, 200, more, came.body, came.raw))
        return outcome


def crawled(home: Path, web: Web, seeds: list[str] | None = None, **changes: object) -> CrawlFolder:
    folder = tiny_web.crawl_folder(home, seeds or [f"{SITE}/"], strategy="breadth-first", **changes)
    tiny_web.run(folder, web)
    return folder


def indexed(folder: CrawlFolder) -> set[str]:
    """What is in the index once it has followed the crawl."""
    writer = open_writer(folder, 15_000_000)
    try:
        with reading(folder) as stores:
            indexer = Indexer(writer, folder.archive, stores, similar=SimilarPages.open(folder))
            while indexer.follow():
                continue
            indexer.commit()
    finally:
        writer.close()
    return set(IndexReader(folder.index).urls())


def last(folder: CrawlFolder, url: str) -> VisitRow:
    rows = [row for name in ("fetched", "duplicate", "kept") for row in tiny_web.rows(folder, name) if row.url == url]
    return max(rows, key=lambda row: (row.at, row.outcome != "fetched"))


def told(folder: CrawlFolder, url: str) -> str:
    return " ".join(explain(folder, url).lines())


def judged(folder: CrawlFolder) -> dict[str, int]:
    found: dict[str, int] = crawl_report(folder).plain()["canonical_links"]
    return {name.removeprefix("canonical-"): number for name, number in found.items()}


PRINT, REAL = f"{SITE}/story?print=1", f"{SITE}/story"


@pytest.mark.parametrize("text", [SPIDERS, f"{SPIDERS} printed today"], ids=["equal", "nearly equal"])
@pytest.mark.parametrize("first", [PRINT, REAL], ids=["the print version first", "the story first"])
@pytest.mark.parametrize("other", ["/story", f"{OTHER}/story"], ids=["same site", "other host"])
def test_a_print_version_is_a_duplicate_of_the_page_that_it_names(
    tmp_path: Path, text: str, first: str, other: str
) -> None:
    real = REAL if other == "/story" else other
    links = [PRINT] if first == PRINT else [real, PRINT]
    web = Web({f"{SITE}/": page(BIRDS, links), PRINT: page(text, canonical=other), real: page(SPIDERS, canonical=real)})
    folder = crawled(tmp_path, web, storage={"batch_visits": 1}, fetching={"connections": 1})
    assert web.asked.count(real) == 1, "the page that is named is fetched, though nobody may link to it"
    assert last(folder, PRINT).duplicate_of == real
    assert last(folder, real).duplicate_of == ""
    assert indexed(folder) == {f"{SITE}/", real}
    assert f"names {real} as its canonical address: it says the same" in told(folder, PRINT)
    assert f"a duplicate of {real}" in told(folder, PRINT)
    assert judged(folder)["believed"] == 1


def test_the_page_that_is_named_waits_with_the_priority_of_the_page_that_names_it(tmp_path: Path) -> None:
    web = Web({f"{SITE}/": page(BIRDS, [PRINT]), PRINT: page(SPIDERS, canonical="/story"), REAL: page(SPIDERS)})
    folder = crawled(tmp_path, web)
    with reading(folder) as (store,):
        one, other = store.find(PRINT), store.find(REAL)
    assert one is not None
    assert other is not None
    assert (other.priority, other.depth, other.parent) == (one.priority, one.depth, PRINT)
    assert other.why == f"canonical address of {PRINT}"


def test_the_link_header_counts_too(tmp_path: Path) -> None:
    web = Web({f"{SITE}/": page(BIRDS, [PRINT]), PRINT: page(SPIDERS), REAL: page(SPIDERS)})
    web.headers[PRINT] = REAL
    assert indexed(crawled(tmp_path, web)) == {f"{SITE}/", REAL}


def contradicted(case: str) -> tuple[Web, str]:
    """A web on which the print version names a page that does not bear it out, and the reason."""
    web = Web({f"{SITE}/": page(BIRDS, [PRINT]), PRINT: page(SPIDERS, canonical="/story")})
    match case:
        case "differs":
            web.pages[REAL] = page(BIRDS.replace("bird", "song"))
        case "redirects":
            web.moved[REAL] = (302, f"{SITE}/")
        case "loop":
            web.moved[REAL] = (301, PRINT)
        case "each names the other":
            web.pages[REAL] = page(f"{SPIDERS} and more", canonical=PRINT)
        case "chain":
            web.pages[REAL] = page(f"{SPIDERS} and more", canonical="/third")
            web.pages[f"{SITE}/third"] = page(BIRDS.replace("bird", "third"))
        case "noindex":
            web.pages[REAL] = page(SPIDERS + " again", head='<meta name="robots" content="noindex">')
    return web, {"each names the other": "loop"}.get(case, case)


CASES = ["differs", "fails", "redirects", "loop", "each names the other", "chain", "noindex"]


@pytest.mark.parametrize("case", CASES)
def test_a_claim_that_is_contradicted_is_not_believed_and_both_pages_stay(tmp_path: Path, case: str) -> None:
    web, reason = contradicted(case)
    folder = crawled(tmp_path, web)
    assert judged(folder).get(reason, 0) >= 1
    assert "believed" not in judged(folder)
    assert "so that is not believed, and both stay" in told(folder, PRINT)
    assert not last(folder, PRINT).duplicate_of
    expected = {f"{SITE}/", PRINT, *(url for url in web.pages if case != "noindex" or url != REAL)}
    assert indexed(folder) == expected


def test_a_site_all_of_whose_pages_name_its_front_page_loses_none(tmp_path: Path) -> None:
    names = [f"/p{number}" for number in range(20)]
    web = Web({f"{SITE}{name}": page(SPIDERS.replace("wolf", f"kind{name[2:]} sort"), canonical="/") for name in names})
    for number, name in enumerate(names):
        web.pages[f"{SITE}{name}"] = page(" ".join(f"w{number}x{each}" for each in range(200)), canonical="/")
    web.pages[f"{SITE}/"] = page(BIRDS, names)
    folder = crawled(tmp_path, web)
    assert indexed(folder) == set(web.pages)
    assert judged(folder)["differs"] == 5, "five were compared"
    assert judged(folder)["template"] == 15, "and the others not even that"


def test_pages_without_words_name_nothing(tmp_path: Path) -> None:
    web = Web({f"{SITE}/": page(BIRDS, ["/x"]), f"{SITE}/x": '<link rel="canonical" href="/y"><img src=z.png>'})
    folder = crawled(tmp_path, web)
    assert judged(folder) == {}


def test_a_claim_is_judged_after_a_restart(tmp_path: Path) -> None:
    """The page that is named came long ago, or comes later than the agent that heard the claim."""
    web = Web({f"{SITE}/": page(BIRDS, ["/story", "/one"]), f"{SITE}/one": page(BIRDS + " one", canonical="/later")})
    web.pages |= {REAL: page(SPIDERS), PRINT: page(f"{SPIDERS} today", canonical="/story")}
    web.pages[f"{SITE}/later"] = page(BIRDS + " one more")
    folder = crawled(tmp_path, web, pages=3)
    assert judged(folder) == {"waits": 1}
    folder.change("pages=0")
    tiny_web.run(folder, web, [PRINT])
    assert last(folder, PRINT).duplicate_of == REAL
    assert last(folder, f"{SITE}/one").duplicate_of == f"{SITE}/later"
    assert indexed(folder) == {f"{SITE}/", REAL, f"{SITE}/later"}


def test_a_duplicate_comes_back_when_the_page_that_it_names_says_something_else_or_is_gone(tmp_path: Path) -> None:
    for name, later in (("other", page(BIRDS.replace("bird", "owl"))), ("gone", None)):
        web = Web({f"{SITE}/": page(BIRDS, [PRINT]), PRINT: page(SPIDERS, canonical="/story"), REAL: page(SPIDERS)})
        folder = crawled(tmp_path / name, web)
        assert PRINT not in indexed(folder)
        if later is None:
            del web.pages[REAL]
        else:
            web.pages[REAL] = later
        agent = build_agent(folder, 0, Desk(folder, 0, alone=True), time)
        agent.crawl.frontier.revisit([REAL], "somebody asks for it", time())
        agent.crawl.commit([], time())
        agent.crawl.close()
        asked = tiny_web.run(folder, web)
        assert asked[:2] == [REAL, PRINT], "the one changed, so the other is looked at again"
        assert PRINT in indexed(folder)
        assert not last(folder, PRINT).duplicate_of


def test_a_page_that_moved_for_good_is_another_name_of_where_it_leads_and_leaves_the_index(tmp_path: Path) -> None:
    old, away = f"{SITE}/old", f"{SITE}/away"
    web = Web({f"{SITE}/": page(BIRDS, ["/old", "/away"]), old: page(SPIDERS), REAL: page(f"{SPIDERS} anew")})
    web.pages[away] = page(BIRDS.replace("bird", "guest"))
    folder = crawled(tmp_path, web)
    assert {old, away} <= indexed(folder)
    web.moved |= {old: (301, REAL), away: (302, f"{SITE}/")}
    agent = build_agent(folder, 0, Desk(folder, 0, alone=True), time)
    agent.crawl.frontier.revisit([old, away], "somebody asks for them", time())
    agent.crawl.commit([], time())
    agent.crawl.close()
    tiny_web.run(folder, web)
    assert indexed(folder) == {f"{SITE}/", REAL, away}, "who is only away for a while keeps the page"
    assert f"redirected (301) to {REAL}; it is another name of that page" in told(folder, old)
    assert "another name" not in told(folder, away)
    assert len(tiny_web.run(folder, web, [f"{SITE}/"])) == 0, "links to it are known"

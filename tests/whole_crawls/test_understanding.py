"""Pages are read and judged in batches; one on which something breaks takes no other with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
import whole_crawl
from tiny_web import TinyWeb, crawl_folder, page, run

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling import agent
from lycosa.crawling.commit import Crawl
from lycosa.inspection.report import crawl_report
from lycosa.plugins.plug_points import Known
from lycosa.records import Fetched, Link, Outcome, Page, Redirected, Refused, Response, Score, Visit
from lycosa.scoring.strategy import Strategy
from lycosa.storage import catalogue
from lycosa.storage.archive import Place, read

WEB = "box:5?hosts=3&pages=60&errors=0&duplicates=0&unlinked=0"
BUDGET = 25


def outcomes(folder: CrawlFolder) -> dict[str, tuple[str, str, str]]:
    with reading(folder) as stores:
        rows = [row for store in stores for _, row in catalogue.history(store)]
    assert len(rows) == len({row.url for row in rows}), "no page is visited twice"
    return {row.url: (row.outcome, row.why, row.detail) for row in rows}


def once(broken: list[str]) -> Callable[[str], None]:
    """Breaks on the fifth page that it is shown."""
    met: list[str] = []

    def look(url: str) -> None:
        if url not in met:
            met.append(url)
        if met.index(url) == 4:
            broken.append(url)
            raise ValueError("nobody thought of this page")

    return look


def breaking_reader(monkeypatch: pytest.MonkeyPatch, look: Callable[[str], None]) -> None:
    read = agent.read_page

    def reads(fetched, *rest, **named):  # type: ignore[no-untyped-def]
        look(fetched.link.url)
        return read(fetched, *rest, **named)

    monkeypatch.setattr(agent, "read_page", reads)


def breaking_judge(monkeypatch: pytest.MonkeyPatch, look: Callable[[str], None]) -> None:
    judge = Strategy.judge

    def judges(self: Strategy, page: Page) -> tuple[Score, tuple[Score, ...]]:
        look(page.url)
        return judge(self, page)

    monkeypatch.setattr(Strategy, "judge", judges)


def redirecting(url: str) -> Outcome:
    link, place = Link(url), url.rpartition("/")[2]
    if place in ("one", "two", "three"):
        following = {"one": "two", "two": "three", "three": "one"}[place]
        target = f"http://a.example/{following}"
        return Redirected(link, target, Response(url, 302, (("Location", target),)))
    if place == "book":
        return Refused(
            link, "content-type", "application/pdf", Response(url, 200, (("Content-Type", "application/pdf"),))
        )
    body = page("birds", ["/one", "/book"]).encode()
    return Fetched(link, Response(url, 200, (("Content-Type", "text/html"),), body, body))


def test_a_loop_of_redirects_has_a_name_and_an_unwanted_answer_is_kept(tmp_path: Path) -> None:
    folder = crawl_folder(tmp_path, ["http://a.example/"])
    web = TinyWeb(lambda url: None)

    async def fetch(link: Link, known: Known | None = None) -> Outcome:
        return msgspec.structs.replace(redirecting(link.url), link=link)

    web.fetch = fetch  # type: ignore[method-assign]
    run(folder, web)
    with reading(folder) as (store,):
        rows = {row.url.rpartition("/")[2]: row for _, row in catalogue.history(store)}
    assert [rows[name].outcome for name in ("one", "two", "three")] == ["redirected", "redirected", "failed"]
    assert (rows["three"].why, rows["three"].detail) == ("redirect-loop", "back by way of http://a.example/one")
    book = rows["book"]
    assert (book.outcome, book.why, book.status, book.mime) == ("refused", "content-type", 200, "application/pdf")
    fields, kept = read(folder.archive, Place(book.file, book.offset, book.size))
    assert (fields["WARC-Target-URI"], kept.status) == ("http://a.example/book", 200)


@pytest.mark.parametrize("breaking", [breaking_reader, breaking_judge])
def test_a_page_that_breaks_something_is_recorded_alone(
    breaking: Callable[[pytest.MonkeyPatch, Callable[[str], None]], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    broken: list[str] = []
    breaking(monkeypatch, once(broken))
    folder = whole_crawl.crawl_folder(tmp_path, WEB, pages=BUDGET, sitemaps={"read": False})
    whole_crawl.run(folder)
    found = outcomes(folder)
    (url,) = broken
    assert found.pop(url) == ("failed", "internal-error", "ValueError: nobody thought of this page")
    assert {outcome for outcome, _, _ in found.values()} == {"fetched"}
    assert len(found) == BUDGET, "it does not count as one of the pages asked for"


@pytest.mark.parametrize(("most", "pages"), [(1, 1), (12_000, 6), (10**9, BUDGET)])
def test_a_batch_is_no_larger_than_pages_can_be_read_in_a_moment(
    most: int, pages: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Those that came at the same moment are read in portions."""
    batches: list[list[int]] = []
    commit = Crawl.commit

    def commits(self: Crawl, visits: Sequence[Visit], *rest: object) -> None:
        batches.append([len(visit.outcome.response.body) for visit in visits])  # type: ignore[union-attr]
        commit(self, visits, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Crawl, "commit", commits)
    storage = {"batch_visits": 8, "batch_bytes": most}
    folder = whole_crawl.crawl_folder(tmp_path, WEB, pages=BUDGET, sitemaps={"read": False}, storage=storage)
    whole_crawl.run(folder)
    assert all(sum(batch[:-1]) < most for batch in batches)
    assert max(map(len, batches)) <= pages
    assert sum(map(len, batches)) == len(outcomes(folder)) == BUDGET


def test_pages_of_a_batch_that_cannot_be_prepared_are_judged_one_by_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    batches: list[int] = []

    def prepare(self: Strategy, pages: Sequence[Page]) -> None:
        batches.append(len(pages))
        raise ValueError("nobody thought of these pages together")

    monkeypatch.setattr(Strategy, "prepare", prepare)
    folder = whole_crawl.crawl_folder(tmp_path, WEB, pages=BUDGET, sitemaps={"read": False})
    whole_crawl.run(folder)
    assert {outcome for outcome, _, _ in outcomes(folder).values()} == {"fetched"}
    assert sum(batches) == BUDGET
    assert crawl_report(folder).status.failed == {"batch-not-prepared": len(batches)}

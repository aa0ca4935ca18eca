"""Pages are read and judged in batches; one on which something breaks takes no other with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import whole_crawl

from lycosa.agents import agent
from lycosa.agents.crawl import Crawl
from lycosa.agents.folder import CrawlFolder
from lycosa.agents.report import crawl_report
from lycosa.agents.stores import reading
from lycosa.records import Page, Score, Visit
from lycosa.scoring.strategy import Strategy
from lycosa.storage import catalogue

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

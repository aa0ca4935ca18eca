"""After a restart a learning strategy knows again what it knew: from the journal, and from what was rolled of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.configuration.settings import build
from lycosa.crawling.visit_replay import earlier_visits, remind
from lycosa.plugins.plug_points import Topic
from lycosa.queue_records import Changes
from lycosa.records import Fetched, Link, Page, Response, Score, Visit
from lycosa.scoring.strategy import Strategy, strategy_of
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.catalogue import VisitRow
from lycosa.storage.link_columns import LinkColumns

TARGET = "http://b.org/target"
RELEVANCES = (0.2, 0.4, 0.9)


def visit(number: int, relevance: float) -> Visit:
    url = f"http://a.org/{number}"
    links = (Link(TARGET, url, "target", depth=1), Link(f"http://b.org/{number}", url, "other", depth=1))
    outcome = Fetched(Link(url), Response(url, 200))
    return Visit(Link(url), outcome, Page(url, text="words", links=links), Score(relevance), (Score(relevance),) * 2)


def row(number: int, relevance: float) -> VisitRow:
    links = LinkColumns.of(
        [Link(TARGET, anchor="target", tag_path="p/a"), Link(f"http://b.org/{number}", anchor="other", tag_path="p/a")],
        (relevance,) * 2,
    )
    return VisitRow(f"http://a.org/{number}", float(number), 0, "fetched", status=200, relevance=relevance, links=links)


def parent_mean() -> Strategy:
    return strategy_of(build({"strategy": "parent-mean"}), Topic("words"))


@pytest.mark.parametrize("rolled", [0, 2])
def test_a_strategy_judges_after_a_restart_as_it_did_before(tmp_path: Path, rolled: int) -> None:
    lasting = parent_mean()
    lasting.learn([visit(number, relevance) for number, relevance in enumerate(RELEVANCES)])
    with AgentStore(tmp_path / "store") as store:
        store.commit(Batch(Changes(), [row(number, relevance) for number, relevance in enumerate(RELEVANCES)]))
        store.commit(Batch(Changes(), [VisitRow("http://a.org/gone", 9.0, 0, "failed", "timeout")]))
        if rolled:
            catalogue.roll(store, rolled)
        assert [visit.link.url for visit in earlier_visits(store)] == [f"http://a.org/{place}" for place in range(3)]
        reminded, forgetful = parent_mean(), parent_mean()
        remind(reminded, store)
    assert list(reminded.revised()) == []
    page = visit(7, 0.5).page
    assert page is not None

    def judged(strategy: Strategy) -> float:
        return strategy._priorities(page, Score(0.5), page.links)[0].value

    assert judged(reminded) == pytest.approx(judged(lasting)) == pytest.approx((sum(RELEVANCES) + 0.5) / 4)
    assert judged(forgetful) == pytest.approx(0.5)


def test_an_empty_store_reminds_of_nothing(tmp_path: Path) -> None:
    with AgentStore(tmp_path / "store") as store:
        assert list(earlier_visits(store)) == []
        remind(parent_mean(), store)

"""What a learning strategy is told after a restart: the visits of before, from the catalogue.

Counts that scorers share are kept with the store; everything else that they learnt
follows from the pages and links that the catalogue has. Texts around links are not
in it, so what is remembered of a link is where it led and what it was called.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice

from lycosa.records import Fetched, Link, Page, Response, Score, Visit
from lycosa.scoring.strategy import Strategy
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.catalogue import history, link_rows

AT_ONCE = 256


def earlier_visits(store: AgentStore) -> Iterator[Visit]:
    """The pages an agent has fetched, in order, with their links."""
    columns = ("url", "relevance", "relevance_why", "depth")
    pages = {row.url: row for _, row in history(store, columns=columns) if row.relevance is not None}
    for url, rows in groupby(link_rows(store), lambda row: str(row["parent"])):
        page = pages.get(url)
        if page is None or page.relevance is None:
            continue
        found = [
            (Link(row["url"], url, row["anchor"], tag_path=row["tag_path"], depth=page.depth + 1), Score(row["score"]))
            for row in rows
        ]
        links, scores = tuple(link for link, _ in found), tuple(score for _, score in found)
        relevance = Score(page.relevance, page.relevance_why)
        outcome = Fetched(Link(url), Response(url, 200))
        yield Visit(Link(url, depth=page.depth), outcome, Page(url, links=links), relevance, scores)


def remind(strategy: Strategy, store: AgentStore) -> None:
    """Let a strategy learn again what it had learnt before a restart."""
    if strategy.learns and store.last_row():
        teach(strategy, earlier_visits(store))
        for _ in strategy.revised():
            continue


def teach(strategy: Strategy, earlier: Iterator[Visit]) -> None:
    """Let a strategy learn from visits, some at once."""
    while visits := list(islice(earlier, AT_ONCE)):
        strategy.learn(visits)

"""Visits as rows of the catalogue, what is told of them to pages that name their URL, and what of them is archived."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.crawling.visit_rows import KEPT, judged_row, named_by, named_in, new_response, response_of, visit_row
from lycosa.duplicates.canonical_links import Copy, Judged, Named, Verdict
from lycosa.queue_records import Changes
from lycosa.records import (
    SITEMAP,
    Failed,
    Fetched,
    Link,
    Outcome,
    Page,
    Redirected,
    Refused,
    Response,
    Score,
    Unchanged,
    Visit,
)
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Place
from lycosa.storage.catalogue import VisitRow
from lycosa.storage.link_columns import LinkColumns

URL, OTHER = "https://a.example/p", "https://a.example/q"
LINK = Link(URL, parent="https://a.example/", depth=2)
PLACE = Place("agent-0-000001.warc.gz", 400, 90)
COPY = Copy(b"d" * 16, PLACE.file, PLACE.offset, PLACE.length)
ANSWER = Response(URL, 200, (("Content-Type", "text/html"),), b"a body", b"raw", 1.0, 0.25, "192.0.2.7")
PAGE = Page(
    URL,
    "A title" * 100,
    language="en",
    charset="utf-8",
    digest=b"d" * 16,
    links=(Link(OTHER, URL, "the other", tag_path="body ul a"), Link(f"{OTHER}/2", URL, "a second")),
    links_dropped=3,
)
FETCHED = Visit(LINK, Fetched(LINK, ANSWER), PAGE, Score(0.5, "fits"), (Score(0.75), Score(0.25)), 9.0, ("598", "59"))


def came(canonical: str = "", *, noindex: bool = False) -> Visit:
    page = Page(URL, canonical=canonical, noindex=noindex, digest=b"d" * 16)
    return Visit(LINK, Fetched(LINK, ANSWER), page)


def row_of(visit: Visit, place: Place | None = None, canonical: Verdict | None = None, agent: int = 0) -> VisitRow:
    return visit_row(
        visit,
        place,
        agent=agent,
        attempts=1,
        duplicate_of="",
        importance=0.125,
        aside=False,
        claimed=None,
        canonical=canonical,
    )


def test_a_row_tells_all_that_a_visit_found_out_and_a_store_keeps_it(tmp_path: Path) -> None:
    row = row_of(FETCHED, PLACE, agent=4)
    with AgentStore(tmp_path) as store:
        store.commit(Batch(Changes(), [row]))
        ((_, kept),) = store.rows()
    assert kept == row
    assert (row.url, row.at, row.agent, row.outcome, row.why) == (URL, 9.0, 4, "fetched", "")
    assert (row.status, row.mime, row.length, row.seconds, row.address) == (200, "text/html", 6, 0.25, "192.0.2.7")
    assert (row.digest, row.language, row.charset, row.links_dropped) == ((b"d" * 16).hex(), "en", "utf-8", 3)
    assert row.title == PAGE.title[:300]
    assert (row.relevance, row.relevance_why, row.importance, row.classes) == (0.5, "fits", 0.125, "598 59")
    assert (row.file, row.offset, row.size) == (PLACE.file, PLACE.offset, PLACE.length)
    assert (row.depth, row.parent, row.attempts) == (2, "https://a.example/", 1)
    assert list(row.links.rows()) == [
        (OTHER, "the other", 0.75, "body ul a"),
        (f"{OTHER}/2", "a second", 0.25, ""),
    ]


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Refused(LINK, "robots", "line 3"), ("refused", "robots", "line 3", 0, "")),
        (Failed(LINK, "timeout", "30 s"), ("failed", "timeout", "30 s", 0, "")),
        (Failed(LINK, "http-404", response=Response(URL, 404)), ("failed", "http-404", "", 404, "")),
        (Redirected(LINK, OTHER, Response(URL, 301)), ("redirected", "", "", 301, OTHER)),
        (Unchanged(LINK, Response(URL, 304)), ("unchanged", "", "", 304, "")),
    ],
)
def test_a_row_without_a_page_says_what_came_instead(outcome: Outcome, told: tuple[object, ...]) -> None:
    row = row_of(Visit(LINK, outcome))
    assert (row.outcome, row.why, row.detail, row.status, row.target) == told
    assert (row.relevance, row.digest, row.file, row.links) == (None, "", "", LinkColumns())


def test_a_sitemap_is_an_outcome_of_its_own_and_its_links_are_not_kept() -> None:
    link = Link(URL, rel=SITEMAP)
    row = row_of(Visit(link, Fetched(link, ANSWER), PAGE, priorities=(Score(0.5),)), PLACE)
    assert (row.outcome, row.links) == (SITEMAP, LinkColumns())
    assert row_of(Visit(link, Failed(link, "timeout"))).outcome == "failed"


def test_a_claim_that_is_judged_later_makes_a_row_of_its_own() -> None:
    believed = judged_row(Judged(URL, OTHER, Verdict.BELIEVED), 5.0, 2)
    assert (believed.url, believed.at, believed.agent, believed.outcome) == (URL, 5.0, 2, "duplicate")
    assert (believed.why, believed.detail, believed.duplicate_of) == ("canonical-believed", OTHER, OTHER)
    kept = judged_row(Judged(URL, OTHER, Verdict.DIFFERS), 5.0, 2)
    assert (kept.outcome, kept.why, kept.detail, kept.duplicate_of) == (KEPT, "canonical-differs", OTHER, "")


@pytest.mark.parametrize(
    ("visit", "given_up", "told"),
    [
        (came(OTHER, noindex=True), False, Named(COPY, OTHER, noindex=True)),
        (Visit(LINK, Redirected(LINK, OTHER, Response(URL, 302))), False, Named(target=OTHER)),
        (Visit(LINK, Unchanged(LINK, Response(URL, 304))), False, None),
        (Visit(LINK, Failed(LINK, "timeout", again=True)), False, None),
        (Visit(LINK, Failed(LINK, "timeout", again=True)), True, Named()),
        (Visit(LINK, Failed(LINK, "http-404")), False, Named()),
        (Visit(LINK, Refused(LINK, "robots")), False, Named()),
    ],
)
def test_what_is_told_of_a_visit_waits_until_there_is_something_to_say(
    visit: Visit, given_up: bool, told: Named | None
) -> None:
    assert named_by(visit, PLACE, given_up) == told


def test_a_page_without_a_place_in_the_archive_cannot_be_compared() -> None:
    assert named_by(came(), None, False) is None


@pytest.mark.parametrize("canonical", ["", OTHER])
@pytest.mark.parametrize("noindex", [False, True])
def test_rows_tell_of_a_page_what_its_visit_told(canonical: str, noindex: bool) -> None:
    visit = came(canonical, noindex=noindex)
    moved = row_of(Visit(LINK, Redirected(LINK, OTHER, Response(URL, 301))))
    failed = row_of(Visit(LINK, Failed(LINK, "timeout", again=True)))
    fetched = row_of(visit, PLACE, Verdict.WAITS if canonical else None)
    assert named_in([moved, fetched, failed]) == named_by(visit, PLACE, given_up=False)
    assert named_in([fetched, moved]) == Named(target=OTHER), "the latest word counts"
    assert named_in([failed]) is None


@pytest.mark.parametrize(
    ("outcome", "answered", "archived"),
    [
        (Fetched(LINK, ANSWER), ANSWER, ANSWER),
        (Unchanged(LINK, ANSWER), ANSWER, None),
        (Unchanged(LINK, Response(URL, 304)), Response(URL, 304), Response(URL, 304)),
        (Failed(LINK, "http-500", response=Response(URL, 500)), Response(URL, 500), Response(URL, 500)),
        (Failed(LINK, "timeout"), None, None),
        (Refused(LINK, "robots"), None, None),
    ],
)
def test_a_page_that_came_whole_and_was_known_is_not_archived_again(
    outcome: Outcome, answered: Response | None, archived: Response | None
) -> None:
    visit = Visit(LINK, outcome)
    assert (response_of(visit), new_response(visit)) == (answered, archived)

"""What the catalogue says about changes: histories of pages, and whose claims can be believed."""

from __future__ import annotations

from lycosa.agents.looks import Claims, Looks, newer
from lycosa.storage.catalogue import VisitRow

SITE = "http://example.org"
DAY = 86_400.0


def row(path: str, at: float, digest: str, outcome: str = "fetched", claimed: float | None = None) -> VisitRow:
    return VisitRow(f"{SITE}/{path}", at, 0, outcome, digest=digest, relevance=0.5, claimed=claimed)


def test_a_page_changed_where_its_text_did() -> None:
    looks = Looks.of(
        [row("a", 1 * DAY, "x"), row("a", 2 * DAY, "x"), row("a", 3 * DAY, "y"), row("a", 4 * DAY, "", "unchanged")]
    )
    history = looks.pages[f"{SITE}/a"].history
    assert (history.looks, history.changed, history.last) == (4, 1, 4 * DAY)
    assert looks.pages[f"{SITE}/a"].digest == "y"
    assert Looks.of([row("a", DAY, "", "failed")]).pages == {}


def test_only_pages_that_a_believed_site_calls_unchanged_are_left_alone() -> None:
    looks = Looks.of([row(path, 10.5 * DAY, "x") for path in "abc"])
    claimed = {f"{SITE}/a": 5.2 * DAY, f"{SITE}/b": 11.2 * DAY}
    assert set(looks.worth_a_look(claimed)) == {f"{SITE}/b", f"{SITE}/c"}
    looks.claims[SITE] = Claims(true=1, false=9)
    assert set(looks.worth_a_look(claimed)) == set(looks.pages)


def test_a_site_that_always_claims_a_change_is_not_believed_after_a_few_looks() -> None:
    rows = [row(str(page), 0.0, "x") for page in range(20)]
    rows += [row(str(page), DAY, "x" if page else "y", claimed=0.9 * DAY) for page in range(20)]
    assert not Looks.of(rows).believes(SITE)
    honest = [row(str(page), 0.0, "x") for page in range(20)]
    honest += [row(str(page), DAY, "y", claimed=0.9 * DAY) for page in range(20)]
    assert Looks.of(honest).believes(SITE)
    silent = [row(str(page), 0.0, "x") for page in range(20)]
    silent += [row(str(page), DAY + 9.0, "y", claimed=-3 * DAY - 7) for page in range(20)]
    assert not Looks.of(silent).believes(SITE), "changes that it never tells of"


def test_a_time_written_to_the_second_or_to_the_day_leaves_room() -> None:
    assert newer(100.0, 100.7)
    assert not newer(100.0, 101.5)
    assert newer(10 * DAY, 10.9 * DAY)
    assert not newer(10 * DAY, 11.1 * DAY)

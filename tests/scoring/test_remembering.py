"""What strategies remember of links: always bounded, and never of what was taken."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lycosa.records import Score
from lycosa.scoring.baselines.chosen_links import ABOVE_ALL, PATIENCE, ChosenAhead
from lycosa.scoring.bounded_memory import Remembered
from lycosa.scoring.waiting_links import LinkPool, WaitingLinks

KEYS = st.integers(0, 30)


@given(st.lists(st.tuples(KEYS, KEYS)), st.integers(2, 12))
def test_the_latest_entries_are_remembered_and_never_more_than_allowed(
    entries: list[tuple[int, int]], most: int
) -> None:
    memory: Remembered[int, int] = Remembered(most)
    for key, value in entries:
        memory.put(key, value)
        assert memory.get(key) == value
        assert len(memory) <= most
    latest = list({key: None for key, _ in reversed(entries)})[: most // 2]
    known = dict(entries)
    assert all(memory.get(key) == known[key] for key in latest)


def test_what_was_forgotten_on_purpose_is_not_known() -> None:
    memory: Remembered[str, int] = Remembered(4)
    for number, key in enumerate("abc"):
        memory.put(key, number)
    assert [memory.pop(key) for key in "abcd"] == [0, 1, 2, None]
    assert len(memory) == 0


def test_a_full_picture_forgets_the_oldest_links() -> None:
    waiting: WaitingLinks[int] = WaitingLinks(32)
    forgotten = [url for number in range(100) for url, _ in waiting.found(f"u{number}", number)]
    assert len(waiting) <= 32
    assert forgotten == [f"u{number}" for number in range(len(forgotten))]
    assert "u99" in waiting


def test_a_taken_link_does_not_wait_and_is_known_as_gone() -> None:
    waiting: WaitingLinks[int] = WaitingLinks()
    waiting.found("u", 7)
    assert not waiting.is_gone("u")
    assert waiting.taken("u") == 7
    assert waiting.is_gone("u")
    assert "u" not in waiting


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcdefgh"))))
def test_a_pool_draws_only_from_what_is_in_it(steps: list[tuple[bool, str]]) -> None:
    pool, inside, random = LinkPool(), set(), Random(1)
    for add, url in steps:
        (pool.add if add else pool.discard)(url)
        (inside.add if add else inside.discard)(url)
        assert set(pool) == inside
        assert len(pool) == len(inside)
        assert not inside or pool.draw(random) in inside


def test_a_chosen_link_waits_above_all_until_it_is_visited() -> None:
    chosen = ChosenAhead(1)
    chosen.lift("u", 0.5, "liked", Score(0.2))
    assert chosen.changes() == [("u", Score(ABOVE_ALL + 0.5, "liked"))]
    assert not chosen.room
    assert chosen.note(["u"]) == []
    assert chosen.room
    assert chosen.changes() == []


def test_one_at_a_time_a_choice_that_was_passed_over_is_given_up_at_once() -> None:
    chosen = ChosenAhead(1)
    chosen.lift("refused", 0.5, "liked", Score(0.2, "as before"))
    chosen.changes()
    assert chosen.note(["another"]) == ["refused"]
    assert chosen.changes() == [("refused", Score(0.2, "as before"))]


def test_many_at_a_time_a_choice_may_be_overtaken_for_a_while() -> None:
    chosen = ChosenAhead(4)
    chosen.lift("slow", 0.5, "liked", Score(0.2))
    assert chosen.note([f"u{number}" for number in range(PATIENCE * 4 - 1)]) == []
    assert chosen.note(["one more"]) == ["slow"]

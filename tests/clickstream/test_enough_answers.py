"""Answers to "was this enough?": kept with the page that was first, once a visitor, query and day."""

from __future__ import annotations

from pathlib import Path

from lycosa.click_records import ShownResult
from lycosa.storage.click_store import ClickStore

FIRST, SECOND = "https://a.example/1", "https://a.example/2"


def test_an_answer_is_kept_with_the_page_that_was_ranked_first(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        store.add_shown("wolf spider", [FIRST, SECOND], 1, day=1)
        assert store.add_answer("Wolf  Spider", FIRST, False, b"a" * 16, 1)
        assert store.add_answer("wolf spider", FIRST, True, b"b" * 16, 1)
        found = {result.url: result for result in store.shown("wolf spider")}
    assert found[FIRST] == ShownResult("wolf spider", FIRST, (1,), (), enough=1, not_enough=1)
    assert (found[SECOND].enough, found[SECOND].not_enough) == (0, 0)


def test_a_visitor_answers_once_a_day_and_only_what_was_shown_first(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        store.add_shown("wolf spider", [FIRST, SECOND], 1, day=1)
        assert store.add_answer("wolf spider", FIRST, False, b"a" * 16, 1)
        assert not store.add_answer("wolf spider", FIRST, True, b"a" * 16, 1)
        assert store.add_answer("wolf spider", FIRST, True, b"a" * 16, 2)
        assert not store.add_answer("wolf spider", SECOND, True, b"b" * 16, 1)
        assert not store.add_answer("another query", FIRST, True, b"b" * 16, 1)


def test_results_kept_before_there_were_answers_can_still_be_read(tmp_path: Path) -> None:
    import msgspec

    old = msgspec.msgpack.encode((1, ["q", FIRST, [3], [1]]))
    assert msgspec.msgpack.decode(old, type=tuple[int, ShownResult])[1] == ShownResult("q", FIRST, (3,), (1,))

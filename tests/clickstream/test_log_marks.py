"""What the import of logs looks up many at once: marks in bytes, hashes in order, rows of visitors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.clickstream.server_logs.parsing import line_marks
from lycosa.clickstream.server_logs.parsing.byte_slices import PADDING, SliceHash, grouped, in_order
from lycosa.clickstream.server_logs.parsing.line_marks import MarkFinder
from lycosa.clickstream.server_logs.sessions.visitor_table import NO_ROW, VisitorRows

HASHES = st.lists(st.integers(0, 5) | st.integers(0, 2**64 - 1) | st.integers(2**63, 2**63 + 40), max_size=60)


def words(numbers: list[int]) -> np.ndarray:
    return np.array(numbers, np.uint64)


@pytest.mark.parametrize("quotes", [True, False])
@given(text=st.text('ab"\n*\x02', max_size=200).map(lambda text: (text + "\n").encode()))
def test_marks_are_the_ends_of_lines_and_the_quotes_in_them(quotes: bool, text: bytes) -> None:
    found = MarkFinder(quotes=quotes).find(np.frombuffer(text, np.uint8))
    sought = b'"\n' if quotes else b"\n"
    assert found.places.tolist() == [place for place, byte in enumerate(text) if byte in sought]
    assert found.ends.tolist() == [place for place, byte in enumerate(text) if byte == 10]
    counts = [line.count(b'"') if quotes else 0 for line in text.split(b"\n")[:-1]]
    assert (found.last - found.first).tolist() == counts


def test_marks_do_not_depend_on_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    text = np.frombuffer(b'one "two" three\n\n"\n' * 50, np.uint8)
    whole = MarkFinder(quotes=True).find(text)
    monkeypatch.setattr(line_marks, "_STRETCH", 16)
    cut = MarkFinder(quotes=True).find(text)
    assert cut.places.tolist() == whole.places.tolist()
    assert cut.last.tolist() == whole.last.tolist()


@given(HASHES)
def test_hashes_are_sorted_and_those_of_a_hash_stay_as_they_came(numbers: list[int]) -> None:
    assert in_order(words(numbers)).tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)


@given(HASHES)
def test_groups_are_what_is_distinct(numbers: list[int]) -> None:
    found = grouped(words(numbers))
    assert found.each.tolist() == sorted(set(numbers))
    assert found.first.tolist() == [numbers.index(each) for each in found.each.tolist()]
    assert found.each[found.which].tolist() == numbers


STEPS = st.lists(
    st.tuples(
        st.booleans(), st.sets(st.integers(1, 6) | st.integers(1, 9).map(lambda part: (part << 40) + 3), max_size=9)
    )
)


@given(STEPS)
def test_visitors_keep_their_rows_while_they_are_here(steps: list[tuple[bool, set[int]]]) -> None:
    """Many of them have the same ending, so they stand beside the table."""
    rows, kept, next_row = VisitorRows(), dict[int, int](), 0
    for puts, visitors in steps:
        if puts:
            new = {each: row for row, each in enumerate(sorted(visitors - kept.keys()), next_row)}
            next_row += len(new)
            rows.put(words(list(new)), np.array(list(new.values()), np.int64))
            kept |= new
        else:
            rows.drop(words(sorted(visitors)))
            kept = {each: row for each, row in kept.items() if each not in visitors}
        every = [*range(1, 8), *((part << 40) + 3 for part in range(1, 11))]
        assert rows.find(words(every)).tolist() == [kept.get(each, NO_ROW) for each in every]


def test_a_table_of_visitors_grows_and_forgets() -> None:
    rows, number = VisitorRows(), np.arange(20_000)
    text = b"".join(b"%8d" % each for each in number.tolist())
    visitors = SliceHash().of(text + bytes(PADDING), number * 8, number * 8 + 8)
    for part in range(0, len(number), 3000):
        rows.put(visitors[part : part + 3000], number[part : part + 3000])
    assert rows.find(visitors).tolist() == number.tolist()
    rows.drop(visitors[::2])
    assert rows.find(visitors).tolist() == [each if each % 2 else NO_ROW for each in number.tolist()]
    rows.clear()
    assert (rows.find(visitors) == NO_ROW).all()

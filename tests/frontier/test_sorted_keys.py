"""Ordered keys: a sorted set, whatever comes and goes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.frontier import sorted_keys as ordered_keys
from lycosa.frontier.sorted_keys import OrderedKeys

KEYS = st.lists(st.binary(max_size=2), max_size=30)


@pytest.fixture(autouse=True, scope="module")
def _short_runs() -> object:
    before, ordered_keys.LONGEST_RUN = ordered_keys.LONGEST_RUN, 4
    yield
    ordered_keys.LONGEST_RUN = before


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(KEYS, KEYS), max_size=10))
def test_keys_come_in_order_and_each_once(steps: list[tuple[list[bytes], list[bytes]]]) -> None:
    ordered, model = OrderedKeys(), set[bytes]()
    for put, taken in steps:
        ordered.update(put)
        model.update(put)
        for key in taken:
            ordered.discard(key)
            model.discard(key)
        assert list(ordered) == sorted(model)

"""Figures as people read them."""

from __future__ import annotations

import pytest

from lycosa.interface.shared import wording


@pytest.mark.parametrize(
    ("worded", "expected"),
    [
        (wording.number(1234567), "1,234,567"),
        (wording.share(0.0), "0%"),
        (wording.share(0.034), "3.4%"),
        (wording.share(0.5), "50%"),
        (wording.share(1), "100%"),
        (wording.rate(0.25), "0.2/s"),
        (wording.rate(1234.5), "1,234/s"),
        (wording.size(0), "0 B"),
        (wording.size(1536), "1.5 KiB"),
        (wording.size(90_000_000), "86 MiB"),
        (wording.size(5 * 1024**5), "5,120.0 TiB"),
        (wording.span(0.0042), "4 ms"),
        (wording.span(2.34), "2.3 s"),
        (wording.span(59), "59 s"),
        (wording.span(1400), "23 min 20 s"),
        (wording.span(3600), "1 h"),
        (wording.span(90061), "1 d 1 h"),
        (wording.day(1_700_000_000), "14 Nov 2023"),
        (wording.day(0), ""),
        (wording.day(1e30), ""),
        (wording.iso(1_700_000_000), "2023-11-14T22:13:20+00:00"),
        (wording.iso(0), None),
    ],
)
def test_figures_are_worded_for_people(worded: str | None, expected: str | None) -> None:
    assert worded == expected

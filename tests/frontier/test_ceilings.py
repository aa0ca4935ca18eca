"""Ceilings hold in every second, change with the time of day, and can be changed while running (T14)."""

from __future__ import annotations

import pytest

from lycosa.configuration import ConfigurationError
from lycosa.frontier.ceilings import Throttle
from lycosa.sections import Bytes, Ceilings, Window


def requests_in(throttle: Throttle, begin: float, seconds: float, size: int = 0) -> int:
    """How many requests a crawl in a hurry gets through, looking every 10 ms."""
    sent = 0
    for step in range(round(seconds * 100)):
        now = begin + step / 100
        while throttle.wait(now) <= 0 and throttle.site_wait(1, now) <= 0 and sent < 100_000:
            throttle.asked(1)
            throttle.received(1, size)
            sent += 1
    return sent


def test_requests_per_second_are_kept() -> None:
    throttle = Throttle(Ceilings(requests_per_second=5))
    assert 50 <= requests_in(throttle, 0, 10) <= 56


def test_agents_share_the_ceiling_of_their_crawl() -> None:
    throttle = Throttle(Ceilings(requests_per_second=8), share=4)
    assert 20 <= requests_in(throttle, 0, 10) <= 23


def test_bytes_per_second_are_kept() -> None:
    throttle = Throttle(Ceilings(bytes_per_second=Bytes(10_000)))
    assert 9 <= requests_in(throttle, 0, 10, size=10_000) <= 12


def test_a_site_has_its_own_ceiling() -> None:
    throttle = Throttle(Ceilings(site_requests_per_second=2))
    assert 20 <= requests_in(throttle, 0, 10) <= 23
    assert throttle.site_wait(2, 10.0) == 0


def test_windows_replace_the_ceiling_at_their_time_of_day() -> None:
    night = Window(begins="22:00", ends="06:00", requests_per_second=50)
    throttle = Throttle(Ceilings(requests_per_second=1, windows=(night,)))
    assert requests_in(throttle, 12 * 3600, 10) <= 12
    assert requests_in(throttle, 23 * 3600, 10) >= 490
    assert requests_in(throttle, 86_400 + 5 * 3600, 10) >= 490
    assert requests_in(throttle, 86_400 + 7 * 3600, 10) <= 62


def test_ceilings_can_be_changed_while_running() -> None:
    throttle = Throttle(Ceilings(requests_per_second=1))
    requests_in(throttle, 0, 5)
    throttle.change(Ceilings(requests_per_second=10))
    assert 95 <= requests_in(throttle, 5, 10) <= 111


def test_no_ceiling_means_no_waiting() -> None:
    assert Throttle(Ceilings()).wait(0) == 0


def test_a_clock_that_goes_backwards_opens_no_flood() -> None:
    throttle = Throttle(Ceilings(requests_per_second=5))
    requests_in(throttle, 1000, 5)
    assert requests_in(throttle, 0, 1) <= 6


def test_nonsense_times_of_day_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="HH:MM"):
        Throttle(Ceilings(windows=(Window(begins="late", ends="06:00"),)))

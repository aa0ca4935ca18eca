"""Ceilings hold in every second, change with the time of day, and can be changed while running (T14)."""

from __future__ import annotations

import pytest

from lycosa.configuration.sections import Bytes, Ceilings, Window
from lycosa.configuration.settings import ConfigurationError
from lycosa.frontier.rate_limiter import Throttle


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
    throttle = Throttle(Ceilings(requests_per_second=8), agents=4)
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


@pytest.mark.parametrize("kind", ["requests_per_second", "site_requests_per_second"])
def test_what_went_out_while_no_ceiling_held_is_not_owed_later(kind: str) -> None:
    throttle = Throttle(Ceilings(**{kind: 10}))
    requests_in(throttle, 0, 2)
    throttle.change(Ceilings())
    assert requests_in(throttle, 2, 5, size=50_000) >= 100_000
    throttle.change(Ceilings(**{kind: 10}))
    assert 95 <= requests_in(throttle, 7, 10) <= 111


def test_days_without_a_ceiling_do_not_make_the_nights_stand_still() -> None:
    night = Window(begins="22:00", ends="06:00", requests_per_second=10, bytes_per_second=Bytes(1000))
    throttle = Throttle(Ceilings(windows=(night,)))
    for day in range(3):
        assert requests_in(throttle, day * 86_400 + 12 * 3600, 1, size=100) >= 100_000
        assert 90 <= requests_in(throttle, day * 86_400 + 22 * 3600, 10, size=100) <= 112


def test_a_debt_of_bytes_takes_as_long_to_pay_off_at_a_lower_rate() -> None:
    throttle = Throttle(Ceilings(bytes_per_second=Bytes(10_000_000)))
    assert throttle.wait(0.0) == 0
    throttle.received(1, 30_000_000)
    assert throttle.wait(0.0) == pytest.approx(2, abs=0.01)
    throttle.change(Ceilings(bytes_per_second=Bytes(1000)))
    assert throttle.wait(0.0) == pytest.approx(2, abs=0.01)


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

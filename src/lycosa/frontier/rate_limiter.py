"""How fast the whole crawl, and each site in it, may go (T14).

Token buckets filled by the time that is handed in; a bucket holds at most one
second's worth. Windows replace the ceilings at certain times of the day (UTC).
Ceilings can be exchanged while the crawl runs. A crawl's ceiling is shared
evenly by its agents, and so is a site's where several agents may ask it.
"""

from __future__ import annotations

from dataclasses import dataclass

from lycosa.configuration.sections import Ceilings, Window
from lycosa.configuration.settings import ConfigurationError

DAY = 86_400.0


@dataclass(slots=True)
class Bucket:
    """Allowance that fills with time and may be overdrawn by one request's size.

    Where no rate holds, nothing is owed later; a debt takes as long to pay off at another rate.
    """

    level: float = 0.0
    at: float | None = None
    rate: float = 0.0

    def wait(self, rate: float, now: float) -> float:
        """How many seconds until there is some allowance again."""
        if rate <= 0:
            self.at = None
            return 0.0
        burst = max(1.0, rate)
        if self.at is None:
            self.level = burst
        else:
            owed = self.level * rate / self.rate if self.level < 0 else self.level
            self.level = min(burst, owed + rate * max(0.0, now - self.at))
        self.at, self.rate = now, rate
        return 0.0 if self.level >= 1 else (1 - self.level) / rate

    def take(self, amount: float) -> None:
        """Use some of it up."""
        self.level -= amount


def _seconds_of_day(text: str) -> float:
    hours, colon, minutes = text.partition(":")
    if not (colon and hours.isdigit() and minutes.isdigit() and int(hours) <= 24 and int(minutes) < 60):
        raise ConfigurationError(f"ceilings.windows: {text!r} is no time of day; write it as HH:MM")
    return int(hours) * 3600.0 + int(minutes) * 60.0


class Throttle:
    """Says when the next request is within the ceilings."""

    def __init__(self, ceilings: Ceilings, agents: int = 1, owners: int = 1) -> None:
        """For one of so many agents in the crawl, and of so many that may ask one site."""
        self._share, self._site_share = max(1, agents), max(1, owners)
        self._requests, self._bytes = Bucket(), Bucket()
        self._sites: dict[int, tuple[Bucket, Bucket]] = {}
        self.change(ceilings)

    def change(self, ceilings: Ceilings) -> None:
        """Use other ceilings from now on."""
        self._windows = [
            (_seconds_of_day(window.begins), _seconds_of_day(window.ends), window) for window in ceilings.windows
        ]
        self._ceilings = ceilings

    def _current(self, now: float) -> Ceilings | Window:
        if not self._windows:
            return self._ceilings
        second = now % DAY
        for begins, ends, window in self._windows:
            if begins <= second < ends or (ends < begins and not ends <= second < begins):
                return window
        return self._ceilings

    def wait(self, now: float) -> float:
        """Seconds until the crawl as a whole may send a request."""
        current = self._current(now)
        if not (current.requests_per_second or current.bytes_per_second):
            self._requests.at = self._bytes.at = None
            return 0.0
        return max(
            self._requests.wait(current.requests_per_second / self._share, now),
            self._bytes.wait(current.bytes_per_second / self._share, now),
        )

    def site_wait(self, site: int, now: float) -> float:
        """Seconds until this site may be asked, by its own ceilings."""
        current = self._current(now)
        if not (current.site_requests_per_second or current.site_bytes_per_second):
            self._sites.clear()
            return 0.0
        requests, volume = self._sites.setdefault(site, (Bucket(), Bucket()))
        return max(
            requests.wait(current.site_requests_per_second / self._site_share, now),
            volume.wait(current.site_bytes_per_second / self._site_share, now),
        )

    def asked(self, site: int) -> None:
        """A request goes out."""
        self._requests.take(1)
        if site in self._sites:
            self._sites[site][0].take(1)

    def received(self, site: int, amount: int) -> None:
        """An answer of so many bytes came in."""
        self._bytes.take(amount)
        if site in self._sites:
            self._sites[site][1].take(amount)

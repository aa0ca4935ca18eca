"""How a site is treated: when it may be asked again, and when it is left alone.

One request at a time, then a pause: the longest of the configured delay, the
site's own Crawl-delay and a multiple of its response time. Answers of 429 and
503 double the pause (or take the server's Retry-After); a run of errors sends
the crawler away for a rest. Time is handed in; nothing here waits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from lycosa.configuration import Politeness
from lycosa.records import Failed, Outcome, Refused, SiteOpened, SiteShut

_NO_REQUEST = frozenset({"robots", "address-refused", "site-not-open", "dns-failed", "dns-not-found"})
_SLOW_DOWN = frozenset(
    {"http-429", "http-503", "http-502", "http-504", "http-500", "timeout", "connect-failed", "reset"}
)


class Phase(Enum):
    """What a site is doing."""

    IDLE = auto()
    CLOSED = auto()
    OPENING = auto()
    PAUSED = auto()
    READY = auto()
    BUSY = auto()


@dataclass(slots=True)
class Site:
    """A site's queue head and manners.

    `heads` is a heap of (-order, URL key): all waiting links whose order is above
    `floor`; those at or below it lie on the shelf only.
    """

    number: int
    name: str
    phase: Phase = Phase.IDLE
    heads: list[tuple[float, bytes]] = field(default_factory=list)
    floor: float = float("-inf")
    waiting: int = 0
    address: str = ""
    opened_until: float = 0.0
    next_at: float = 0.0
    crawl_delay: float = 0.0
    backoff: float = 0.0
    errors: int = 0
    why: str = ""
    fetched: int = 0
    failed: int = 0
    bytes: int = 0

    @property
    def best(self) -> float:
        """The order of the best waiting link."""
        return -self.heads[0][0] if self.heads else float("-inf")


@dataclass(slots=True)
class Address:
    """An address that several sites may share."""

    in_flight: int = 0
    next_at: float = 0.0
    parked: list[Site] = field(default_factory=list)


class Manners:
    """The rules of politeness applied to sites."""

    def __init__(self, rules: Politeness) -> None:
        self.rules = rules

    def opened(self, site: Site, answer: SiteOpened | SiteShut, now: float) -> None:
        """Take note of a site's robots.txt, or of its absence."""
        if isinstance(answer, SiteShut):
            site.next_at, site.why, site.opened_until = max(answer.until, now + 1.0), answer.why, 0.0
            return
        site.address, site.opened_until, site.why = answer.address, answer.until, ""
        site.crawl_delay = min(answer.crawl_delay or 0.0, float(self.rules.longest_delay))
        site.next_at = now + (self.pause(site, 0.0) if answer.requested else 0.0)

    def pause(self, site: Site, seconds: float) -> float:
        """How long to leave a site alone after a request that took so many seconds."""
        own = max(float(self.rules.delay), site.crawl_delay, site.backoff)
        if self.rules.delay > 0:
            own = max(own, self.rules.adaptive * seconds)
        return min(own, max(float(self.rules.longest_delay), site.backoff))

    def finished(self, site: Site, outcome: Outcome, seconds: float, now: float) -> None:
        """Take note of how a request went, and set when the next one may follow."""
        if isinstance(outcome, Refused | Failed) and outcome.why in _NO_REQUEST:
            site.next_at = max(site.next_at, now)
            if outcome.why == "site-not-open":
                site.opened_until = 0.0
            return
        if isinstance(outcome, Failed):
            self._failed(site, outcome)
        else:
            site.fetched, site.errors, site.backoff, site.why = site.fetched + 1, 0, 0.0, ""
        site.next_at = now + self.pause(site, seconds)
        if site.errors >= self.rules.errors_before_rest:
            site.next_at, site.why, site.errors = now + self.rules.rest, "resting after errors", 0

    def _failed(self, site: Site, outcome: Failed) -> None:
        site.failed += 1
        if outcome.why in _SLOW_DOWN:
            site.errors += 1
            doubled = 2 * max(float(self.rules.delay), site.backoff, 0.5)
            site.backoff = min(doubled, float(self.rules.longest_delay))
            site.why = f"slowed down by {outcome.why}"
        if outcome.retry_after is not None:
            site.backoff = max(site.backoff, min(outcome.retry_after, float(self.rules.rest)))

    def retry_at(self, attempts: int, outcome: Failed, now: float) -> float:
        """When a failed link is tried again: later with each attempt."""
        own = float(self.rules.retry_after) * 2.0 ** max(0, attempts - 1)
        return now + max(own, outcome.retry_after or 0.0)

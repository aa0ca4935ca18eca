"""How a site is treated: when it may be asked again, and when it is left alone.

One request at a time, then a pause: the longest of the configured delay, the
site's own Crawl-delay and a multiple of its response time. Answers of 429 and
503 double the pause (or take the server's Retry-After); a run of errors sends
the crawler away for a rest. Time is handed in; nothing here waits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from lycosa.configuration.sections import Politeness
from lycosa.records import HOST_REFUSED, Failed, Outcome, Refused, SiteOpened, SiteShut

LONGEST_WHY = 200
_NO_REQUEST = frozenset({"robots", "address-refused", "site-not-open", "dns-failed", "dns-not-found"})
_SLOW_DOWN = frozenset(
    {"http-429", "http-503", "http-502", "http-504", "http-500", "timeout", "connect-failed", "reset", "too-costly"}
)

Key: TypeAlias = bytes
NO_FLOOR = b"\xff" * 20
"""All waiting links are in memory."""
NOT_LOOKED = b""
"""None of them is."""
NOTHING = b"\xff" * 8
"""The best of a site without waiting links."""
LONGEST_REST = 86_400.0
LAST_PLACE = 2**32 - 1
"""The place of a site of whose sitemaps nothing is known."""


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

    `heads` are queue keys, best first: those of all waiting links that come before
    `floor`; the others lie on the shelf only. `place` is the site's place among sites with equally good links.
    Of a site that was not `let_in` nothing is known but that all links to it were refused.
    """

    number: int
    name: str
    prefix: bytes = b""
    phase: Phase = Phase.IDLE
    heads: list[bytes] = field(default_factory=list)
    floor: bytes = NO_FLOOR
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
    place: int = LAST_PLACE
    let_in: bool = False

    def __post_init__(self) -> None:
        self.prefix = self.number.to_bytes(4, "big")

    @property
    def is_refused(self) -> bool:
        """Whether nothing was or may be asked of it: a host that is refused is no site of the crawl."""
        return not self.let_in or (not (self.fetched or self.failed) and self.why.partition(" ")[0] in HOST_REFUSED)

    @property
    def best(self) -> Key:
        """The place of the best waiting link among all sites: the best sorts first."""
        return self.heads[0][4:12] if self.heads else NOTHING


class Manners:
    """The rules of politeness applied to sites."""

    def __init__(self, rules: Politeness) -> None:
        self.rules = rules
        self._delay, self._longest = float(rules.delay), float(rules.longest_delay)

    def opened(self, site: Site, answer: SiteOpened | SiteShut, now: float) -> None:
        """Take note of a site's robots.txt, or of its absence."""
        if isinstance(answer, SiteShut):
            site.next_at, site.opened_until = max(answer.until, now + 1.0), 0.0
            site.why = f"{answer.why} {answer.detail}".strip()[:LONGEST_WHY]
            return
        site.address, site.opened_until, site.why = answer.address, answer.until, ""
        site.crawl_delay = min(answer.crawl_delay or 0.0, float(self.rules.longest_crawl_delay))
        site.next_at = now + (self.pause(site, 0.0) if answer.requested else 0.0)

    def pause(self, site: Site, seconds: float) -> float:
        """How long to leave a site alone after a request that took so many seconds."""
        adapted = min(self.rules.adaptive * seconds, self._longest) if self._delay > 0 else 0.0
        return max(self._delay, site.crawl_delay, site.backoff, adapted)

    def take_up(self, site: Site, now: float) -> None:
        """Set when a site may be asked that an earlier run left: nobody knows how recently it was asked last.

        It gets a full pause, and what its server or its errors asked for (within a day, should a clock be wrong).
        Without such a reason a pause that was kept may follow from settings that have changed since.
        """
        longest = LONGEST_REST if site.why else site.crawl_delay
        site.next_at = max(min(site.next_at, now + longest), now + max(self._delay, site.crawl_delay))

    def finished(self, site: Site, outcome: Outcome, seconds: float, now: float) -> None:
        """Take note of how a request went, and set when the next one may follow."""
        if isinstance(outcome, (Refused, Failed)) and outcome.why in _NO_REQUEST:
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
            site.next_at = max(site.next_at, now + self.rules.rest)
            site.why, site.errors = "resting after errors", 0

    def _failed(self, site: Site, outcome: Failed) -> None:
        site.failed += 1
        if outcome.why in _SLOW_DOWN:
            site.errors += 1
            site.backoff = min(2 * max(self._delay, site.backoff, 0.5), self._longest)
            site.why = f"slowed down by {outcome.why}"
        if outcome.retry_after is not None:
            site.backoff = max(site.backoff, outcome.retry_after)

    def retry_at(self, attempts: int, outcome: Failed, now: float) -> float:
        """When a failed link is tried again: later with each attempt."""
        own = float(self.rules.retry_after) * 2.0 ** max(0, attempts - 1)
        return now + max(own, outcome.retry_after or 0.0)

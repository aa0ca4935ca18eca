"""How often a page changes, learned from looking at it now and then (M3, M8).

A look says only whether the page changed since the last one, not how often. Changes are
taken as a Poisson process; each look adds the number of changes that are to be expected
given what it saw, and the time it looked back on. With nothing seen yet a page changes as
its site says in its sitemap, or as pages do on average.
"""

from __future__ import annotations

import math
from enum import StrEnum

import msgspec

from lycosa.records import Record

HOUR, DAY = 3600.0, 86400.0
TRUST = 0.5
"""A prior counts as much as half a change that was seen."""
MEMORY = 0.97
"""What a look leaves of what was known before: early guesses and priors fade, and a page may change its ways."""
MOST_PER_LOOK = 50.0
"""Changes that one look can stand for."""


class ChangeClass(StrEnum):
    """How often a page changes, in the words of sitemaps."""

    ALWAYS = "always"
    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    YEARLY = "yearly"
    NEVER = "never"


INTERVALS = {
    ChangeClass.ALWAYS: 600.0,
    ChangeClass.HOURLY: HOUR,
    ChangeClass.DAILY: DAY,
    ChangeClass.WEEKLY: 7 * DAY,
    ChangeClass.MONTHLY: 30 * DAY,
    ChangeClass.YEARLY: 365 * DAY,
    ChangeClass.NEVER: 10 * 365 * DAY,
}
"""The mean time between changes that each class stands for, in seconds."""


class PageHistory(Record, frozen=True):
    """What looking at a page has shown: `changes` is an expected number, `watched` the seconds looked back on."""

    first: float = 0.0
    last: float = 0.0
    looks: int = 0
    changed: int = 0
    changes: float = 0.0
    watched: float = 0.0
    changed_at: float = 0.0

    def rate(self, prior: float) -> float:
        """Changes per second; `prior` is what is believed of pages of which nothing is known."""
        return (TRUST + self.changes) / (TRUST * MEMORY**self.looks / prior + self.watched + 1.0)

    def looked(self, now: float, changed: bool, prior: float, changed_at: float = 0.0) -> PageHistory:
        """The history with one more look. `changed_at` is when it changed last, where that is known and believed.

        A clock that went backwards looks back on nothing.
        """
        if not self.looks:
            return PageHistory(now, now, 1, changed_at=changed_at)
        if now <= self.last:
            return msgspec.structs.replace(self, looks=self.looks + 1)
        span = now - self.last
        expected = self.rate(prior) * span
        seen = min(MOST_PER_LOOK, expected / -math.expm1(-expected)) if expected > 1e-12 else 1.0
        return msgspec.structs.replace(
            self,
            last=now,
            looks=self.looks + 1,
            changed=self.changed + changed,
            changes=MEMORY * self.changes + (seen if changed else 0.0),
            watched=MEMORY * self.watched + span,
            changed_at=(changed_at or now) if changed else self.changed_at,
        )

    def change_class(self, prior: float) -> ChangeClass:
        """The class whose interval is nearest to the page's own."""
        return class_of(1.0 / self.rate(prior))


def class_of(interval: float) -> ChangeClass:
    """The class of a mean time between changes."""
    length = math.log(max(interval, 1.0))
    return min(INTERVALS, key=lambda each: abs(math.log(INTERVALS[each]) - length))

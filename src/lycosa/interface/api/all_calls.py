"""All calls of the API."""

from __future__ import annotations

from lycosa.interface.api import (
    click_sites,
    click_stats,
    clicks,
    crawls,
    follow_ups,
    mapping,
    overview,
    proposals,
    reading,
    searching,
    topics,
    treasure,
)
from lycosa.interface.api.calls import Call

CALLS: list[Call] = [
    *crawls.CALLS,
    *follow_ups.CALLS,
    *overview.CALLS,
    *mapping.CALLS,
    *reading.CALLS,
    *searching.CALLS,
]
CALLS += [*topics.CALLS, *proposals.CALLS, *treasure.CALLS, *clicks.CALLS, *click_stats.CALLS, *click_sites.CALLS]

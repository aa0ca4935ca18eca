"""All calls of the API."""

from __future__ import annotations

from lycosa.interface.operations import click_statistics as click_stats
from lycosa.interface.operations import clicks, crawls, follow_ups, proposals, topics
from lycosa.interface.operations import crawl_details as overview
from lycosa.interface.operations import crawl_setup as mapping
from lycosa.interface.operations import search as searching
from lycosa.interface.operations import stored_pages as reading
from lycosa.interface.operations import t_graph as treasure
from lycosa.interface.operations import watched_sites as click_sites
from lycosa.interface.operations.calls import Call

CALLS: list[Call] = [
    *crawls.CALLS,
    *follow_ups.CALLS,
    *overview.CALLS,
    *mapping.CALLS,
    *reading.CALLS,
    *searching.CALLS,
]
CALLS += [*topics.CALLS, *proposals.CALLS, *treasure.CALLS, *clicks.CALLS, *click_stats.CALLS, *click_sites.CALLS]

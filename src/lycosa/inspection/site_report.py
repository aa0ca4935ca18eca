"""What a crawl has learned about its sites, for reports: spellings in use, the order of sites, classes of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.counts import Counts
from lycosa.crawling import site_priorities as site_places
from lycosa.crawling import url_rewriting as spellings
from lycosa.duplicates.url_rewriter import DustRule
from lycosa.freshness.change_rates import ChangeClass
from lycosa.freshness.revisit_round import looks_of, page_classes
from lycosa.frontier.site_priority import SitePlace
from lycosa.records import Record
from lycosa.storage.agent_store import AgentStore

MOST_RULES = 1000
MOST_PLACES = 100


class KnownSites(Record, frozen=True):
    """Rules by which links are rewritten, sites by what their sitemaps bring, and pages by change class."""

    rules: tuple[DustRule, ...] = ()
    order: tuple[SitePlace, ...] = ()
    classes: tuple[tuple[str, int, int], ...] = ()
    """Change class, how many pages it has, and how many of these are due."""
    canonical: dict[str, int] = msgspec.field(default_factory=dict)
    """Pages that name another URL as canonical, by what was thought of that."""

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "spellings": [rule.plain() for rule in self.rules],
            "site_order": [{"site": place.site, "new_links": place.new_links} for place in self.order],
            "change_classes": {name: {"pages": pages, "due": due} for name, pages, due in self.classes},
            "canonical_links": self.canonical,
        }


def known_sites(stores: Sequence[AgentStore], configuration: Configuration, now: float) -> KnownSites:
    """What the agents of a crawl have learned."""
    rules: list[DustRule] = []
    order: list[SitePlace] = []
    canonical: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    due: Counter[str] = Counter()
    for store in stores:
        rules += spellings.Spellings(configuration.urls, store.mark(spellings.MARK)).rules_in_use()
        kept = store.mark("counts")
        canonical.update(msgspec.msgpack.decode(kept, type=Counts).canonical if kept else {})
        order += site_places.places_of(store.mark(site_places.MARK))
        queues = page_classes(configuration, looks_of(store)).queues
        queues.take(now)
        pages.update(queues.pages())
        due.update(queues.due())
    order.sort(key=lambda place: (-place.new_links, place.site))
    classes = tuple((each.value, pages[each], due[each]) for each in ChangeClass if pages[each])
    return KnownSites(tuple(rules[:MOST_RULES]), tuple(order[:MOST_PLACES]), classes, dict(canonical))

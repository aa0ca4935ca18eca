"""What a setting refused is tried again as soon as the setting has changed: links wait again, sites are opened.

What was refused lies among millions of records, so it is looked for little by little, with
each commit. Which settings were gone by is kept, so that a change that was made while
nobody crawled counts too, and a search that was cut short begins anew.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.frontier.frontier import Frontier
from lycosa.queue_records import State, UrlRecord
from lycosa.records import LAST
from lycosa.storage.agent_store import AgentStore

MARK = "rules"
AT_ONCE = 5000
PATTERNS, TYPES = "blocked", "content-type"
_REASONS = {
    PATTERNS: ("blocked", "out-of-scope"),
    "too-deep": ("too-deep",),
    "trap": ("trap",),
    TYPES: ("content-type",),
    "address-refused": ("address-refused",),
    "no-contact": ("no-contact",),
    "robots": ("robots",),
}
"""By which settings links are refused, and sites shut: how their reasons begin."""


class SecondThoughts:
    """What one agent refused, looked through after its settings have changed."""

    def __init__(self, store: AgentStore, frontier: Frontier, configuration: Configuration) -> None:
        self._store, self._frontier = store, frontier
        kept = _kept(store.mark(MARK))
        self._known = {**_rules(configuration), **kept} if store.numbered() else _rules(configuration)
        self._written = kept == _rules(configuration)
        self._changed: set[str] = set()
        self._sites_shut: tuple[str, ...] = ()
        self._at = self._through = 0
        self.change(configuration)

    def change(self, configuration: Configuration) -> None:
        """Go by these settings from now on; where they are others, begin to look."""
        rules = _rules(configuration)
        changed = {name for name, rule in rules.items() if rule != self._known[name]}
        if changed:
            self._changed = changed | (self._changed if self.look else set())
            self._sites_shut = tuple(why for name in sorted(self._changed) for why in _REASONS[name])
            self._known, self._written = rules, False
            self._at, self._through = 0, self._store.numbered()

    @property
    def look(self) -> bool:
        """Whether there are records left to be looked at."""
        return self._at < self._through

    def go_on(self, now: float) -> dict[str, bytes]:
        """Look at some more records; returns what is to be kept."""
        if self._sites_shut:
            self._frontier.reopen(self._sites_shut, now)
            self._sites_shut = ()
        if self.look:
            records = self._store.urls_after(self._at, AT_ONCE)
            self._frontier.reconsider([each.url for each in records if self._may_wait(each)], now)
            self._at = records[-1].number if records else self._through
        if self.look or self._written:
            return {}
        self._written = True
        return {MARK: msgspec.json.encode(self._known)}

    def _may_wait(self, record: UrlRecord) -> bool:
        """Whether a setting that changed kept a link from being fetched, or from being fetched before others."""
        if record.state is State.WAITING:
            return TYPES in self._changed and record.priority == LAST
        whys = tuple(why for name in self._changed for why in _REASONS[name])
        return record.state is State.REFUSED and record.why.startswith(whys)


def _rules(configuration: Configuration) -> dict[str, Any]:
    """The settings that may refuse something, each as it is written in JSON."""
    scope, fetching = configuration.scope, configuration.fetching
    rules = {
        PATTERNS: [scope.sites, scope.block, scope.allow, configuration.seeds],
        "too-deep": scope.depth,
        "trap": configuration.traps,
        TYPES: fetching.types,
        "address-refused": fetching.allow_addresses,
        "no-contact": bool(fetching.contact or fetching.user_agent),
        "robots": configuration.politeness.robots,
    }
    return msgspec.json.decode(msgspec.json.encode(rules), type=dict[str, Any])


def _kept(mark: bytes | None) -> dict[str, Any]:
    """The settings that were gone by; earlier code kept those of patterns alone."""
    kept = msgspec.json.decode(mark) if mark else {}
    return kept if isinstance(kept, dict) else {PATTERNS: kept}

"""Links that were refused by the operator's patterns or scope wait again when these let them in.

What was refused lies among millions of records, so it is looked for little by little, with
each commit. Which rules were gone by is kept, so that a change that was made while
nobody crawled counts too, and a search that was cut short begins anew.
"""

from __future__ import annotations

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.frontier.frontier import Frontier
from lycosa.queue_records import State
from lycosa.storage.agent_store import AgentStore

MARK = "rules"
AT_ONCE = 5000
_BY_RULE = ("blocked", "out-of-scope")


class SecondThoughts:
    """What one agent refused, looked through after its rules have changed."""

    def __init__(self, store: AgentStore, frontier: Frontier, configuration: Configuration) -> None:
        self._store, self._frontier = store, frontier
        self._known = store.mark(MARK) if store.numbered() else _rules(configuration)
        self._kept = store.mark(MARK) == _rules(configuration)
        self._at = self._through = 0
        self.change(configuration)

    def change(self, configuration: Configuration) -> None:
        """Go by these rules from now on; where they are others, begin to look."""
        rules = _rules(configuration)
        if rules != self._known:
            self._known, self._kept = rules, False
            self._at, self._through = 0, self._store.numbered()

    @property
    def look(self) -> bool:
        """Whether there are records left to be looked at."""
        return self._at < self._through

    def go_on(self, now: float) -> dict[str, bytes]:
        """Look at some more records; returns what is to be kept."""
        if self.look:
            records = self._store.urls_after(self._at, AT_ONCE)
            refused = [each for each in records if each.state is State.REFUSED and each.why.startswith(_BY_RULE)]
            self._frontier.reconsider([each.url for each in refused], now)
            self._at = records[-1].number if records else self._through
        if self.look or self._kept:
            return {}
        self._kept = True
        return {MARK: self._known or b""}


def _rules(configuration: Configuration) -> bytes:
    scope = configuration.scope
    return msgspec.json.encode([scope.sites, scope.block, scope.allow, configuration.seeds])

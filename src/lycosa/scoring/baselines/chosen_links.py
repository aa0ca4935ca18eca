"""Links that a strategy has chosen itself: they wait above all others until they come.

The frontier takes the best link; a strategy that chooses by other means than a
number says so by lifting its choice. As many are chosen ahead as pages are
fetched at a time. A choice that does not come (it was refused, or is another
agent's) is given up, so that it blocks no place.
"""

from __future__ import annotations

from collections.abc import Iterable

from lycosa.configuration.sections import Configuration
from lycosa.records import Score

ABOVE_ALL = 2.0
"""Links that were not chosen wait with 1 at most."""
MOST_AHEAD = 64
PATIENCE = 8
"""A choice may be overtaken by so many visits per place, since many are under way. With one place there are none."""


def ahead_of(configuration: Configuration) -> int:
    """How many links are to be chosen at a time: one per connection, within reason."""
    return min(configuration.fetching.connections, MOST_AHEAD)


class ChosenAhead:
    """The links chosen and not yet visited, and the changes of priority to tell the frontier."""

    def __init__(self, ahead: int) -> None:
        self._ahead = max(1, ahead)
        self._patience = 1 if self._ahead == 1 else PATIENCE * self._ahead
        self._chosen: dict[str, tuple[int, Score]] = {}
        self._visits = 0
        self._changes: dict[str, Score] = {}

    def __contains__(self, url: object) -> bool:
        return url in self._chosen

    @property
    def room(self) -> bool:
        """Whether another link is to be chosen."""
        return len(self._chosen) < self._ahead

    def lift(self, url: str, merit: float, why: str, otherwise: Score) -> None:
        """Choose a link. Among the chosen, merit (0 to 1) decides; `otherwise` is how it waits when given up."""
        self._chosen[url] = (self._visits, otherwise)
        self._changes[url] = Score(ABOVE_ALL + merit, why)

    def note(self, visited: Iterable[str]) -> list[str]:
        """These were visited. Returns the choices that are given up."""
        for url in visited:
            self._visits += 1
            self._chosen.pop(url, None)
            self._changes.pop(url, None)
        overdue = [url for url, (since, _) in self._chosen.items() if self._visits - since >= self._patience]
        for url in overdue:
            self._changes[url] = self._chosen.pop(url)[1]
        return overdue

    def changes(self) -> list[tuple[str, Score]]:
        """What has changed since this was last asked."""
        changed, self._changes = list(self._changes.items()), {}
        return changed

"""The queues of change classes (M3): of every page its class and when a look at it is due.

Pages that are due are taken class by class from the heads of the queues, those that
change most often first, so nothing is looked through that is not due. A page that was
taken is out until it is put back with another time. No clock: `now` is handed in.
"""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush

from lycosa.freshness.change_rates import ChangeClass

SPARE_ENTRIES = 1000


class ClassQueues:
    """Pages by class, each with the time of its next look."""

    def __init__(self) -> None:
        self._queues: dict[ChangeClass, list[tuple[float, str]]] = {each: [] for each in ChangeClass}
        self._waiting: dict[str, tuple[ChangeClass, float]] = {}
        self._out: dict[str, ChangeClass] = {}
        self._numbers: Counter[ChangeClass] = Counter()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._out)

    def put(self, page: str, change_class: ChangeClass, due: float) -> None:
        """Let a page wait for its next look; one that is here already moves."""
        self.drop(page)
        self._waiting[page] = (change_class, due)
        self._numbers[change_class] += 1
        queue = self._queues[change_class]
        heappush(queue, (due, page))
        if len(queue) > SPARE_ENTRIES + 2 * self._numbers[change_class]:
            queue[:] = [entry for entry in queue if self._is_true(change_class, entry)]
            heapify(queue)

    def drop(self, page: str) -> None:
        """Forget a page."""
        change_class = self.class_of(page)
        if change_class is not None:
            self._waiting.pop(page, None)
            self._out.pop(page, None)
            self._numbers[change_class] -= 1

    def take(self, now: float) -> list[str]:
        """The pages that are due, class by class; they are out until they are put back."""
        found = []
        for change_class in ChangeClass:
            while (head := self._head(change_class)) is not None and head[0] <= now:
                page = heappop(self._queues[change_class])[1]
                del self._waiting[page]
                self._out[page] = change_class
                found.append(page)
        return found

    def next_due(self) -> float | None:
        """When the first page that waits is due: the least of the heads."""
        heads = [head for change_class in ChangeClass if (head := self._head(change_class)) is not None]
        return min(heads)[0] if heads else None

    def _head(self, change_class: ChangeClass) -> tuple[float, str] | None:
        queue = self._queues[change_class]
        while queue and not self._is_true(change_class, queue[0]):
            heappop(queue)
        return queue[0] if queue else None

    def _is_true(self, change_class: ChangeClass, entry: tuple[float, str]) -> bool:
        """Whether an entry still says of its page what is so."""
        return self._waiting.get(entry[1]) == (change_class, entry[0])

    def class_of(self, page: str) -> ChangeClass | None:
        """The class of a page."""
        waiting = self._waiting.get(page)
        return self._out.get(page) if waiting is None else waiting[0]

    def pages(self) -> dict[str, int]:
        """How many pages each class has."""
        return {each.value: number for each in ChangeClass if (number := self._numbers[each])}

    def due(self) -> dict[str, int]:
        """How many pages of each class were taken as due and are not back yet."""
        counted = Counter(self._out.values())
        return {each.value: counted[each] for each in ChangeClass if counted[each]}

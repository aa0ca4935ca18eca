"""How much may come in: of one client, and of all together, in memory that does not grow.

A client's allowance is one number, the moment at which it will be whole again, so a
hundred thousand clients cost a few megabytes. When there are more, those that were
heard of longest ago are forgotten; the allowance of all together holds even then.
"""

from __future__ import annotations

from collections import OrderedDict

MOST_CLIENTS = 100_000


class Allowance:
    """So many things in a span of seconds, all at once or spread out; whole again after one span of silence."""

    def __init__(self, number: int, span: float) -> None:
        self._each, self._span = span / number, span

    def after(self, whole: float, number: int, now: float) -> tuple[float, float]:
        """When an allowance that would be whole at a time is whole after so many more, and how long they must wait."""
        later = max(whole, now) + number * self._each
        return later, max(0.0, later - now - self._span)


class Rates:
    """The allowances of all clients and of their sum. Times are of a clock that never goes back."""

    def __init__(self, per_minute: int, per_second: int, most_clients: int = MOST_CLIENTS) -> None:
        self._client, self._all = Allowance(per_minute, 60.0), Allowance(per_second, 1.0)
        self._most = most_clients
        self._whole: OrderedDict[str, float] = OrderedDict()
        self._whole_of_all = 0.0

    def __len__(self) -> int:
        return len(self._whole)

    def wait(self, client: str, number: int, now: float) -> float:
        """Seconds that a client must wait before it may send so many; 0 means they are taken."""
        before = self._whole.get(client, 0.0)
        later, wait = self._client.after(before, number, now)
        self._whole[client] = before if wait else later
        self._whole.move_to_end(client)
        if len(self._whole) > self._most:
            self._whole.popitem(last=False)
        return wait

    def wait_of_all(self, number: int, now: float) -> float:
        """Seconds until all clients together may send so many; 0 means they are taken."""
        later, wait = self._all.after(self._whole_of_all, number, now)
        if not wait:
            self._whole_of_all = later
        return wait

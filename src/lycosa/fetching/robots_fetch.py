"""Reading a site's robots.txt over the network: status classes, redirects and ceilings by RFC 9309."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from lycosa import urls
from lycosa.fetching.connection_target import Barred, Gate
from lycosa.fetching.content_coding import BadCoding, TooLarge, codings, decode
from lycosa.fetching.exchange import Plan, Request, Transferred
from lycosa.fetching.response_outcome import REDIRECTS, redirect_target, retry_after
from lycosa.fetching.robots import LARGEST, Robots, parse
from lycosa.plugins.plug_points import Turns
from lycosa.records import Record

MOST_REDIRECTS = 5

Get: TypeAlias = Callable[[Request, Plan], Awaitable[Transferred]]


class Unreachable(Record, frozen=True):
    """The rules exist, as far as we can tell, but cannot be read: stay out."""

    detail: str
    retry_after: float | None = None


class RobotsReader:
    """Gets robots.txt; every hop passes the gate and waits for its turn: a redirect leads nowhere a page could not."""

    def __init__(self, get: Get, gate: Gate) -> None:
        self._get = get
        self._gate = gate

    async def read(self, site: str, turns: Turns) -> Robots | Unreachable:
        """The rules of a site; too many redirects, or one that leads nowhere, count as no rules."""
        url: str | None = f"{site}/robots.txt"
        for _ in range(MOST_REDIRECTS + 1):
            if url is None:
                return Robots()
            passage = await self._gate.passage(urls.site_of(url))
            if isinstance(passage, Barred):
                return Unreachable(f"{url}: {passage.why} {passage.detail}")
            came = await self._asked(Request(url, passage.address), turns)
            if isinstance(came, str):
                return Unreachable(f"{url}: {came}")
            if came.fault is None and came.status in REDIRECTS:
                url = redirect_target(url, came.header("location"))
                continue
            return _understood(came)
        return Robots()

    async def _asked(self, request: Request, turns: Turns) -> Transferred | str:
        """The answer to a request that waited for its turn, or why it must not be made."""
        why = await turns.take(request.url, request.address)
        if why is not None:
            return why
        received = 0
        try:
            came = await self._get(request, _plan)
            received = len(came.raw)
            return came
        finally:
            turns.end(request.url, request.address, received)


def _plan(_status: int, _fields: dict[str, str]) -> int:
    """One byte beyond the limit, so that the parser sees that there was more and drops the line cut in two."""
    return LARGEST + 1


def _understood(came: Transferred) -> Robots | Unreachable:
    if came.fault is not None:
        return Unreachable(f"{came.fault.why} {came.fault.detail}")
    if came.status == 429 or came.status >= 500 or came.status < 200:
        return Unreachable(f"http-{came.status}", retry_after(came.header("retry-after"), came.began + came.seconds))
    if not 200 <= came.status < 300:
        return Robots()
    try:
        return parse(decode(came.raw, codings(came.header("content-encoding")), LARGEST + 1)[0])
    except TooLarge as error:
        return parse(error.begin)
    except BadCoding as error:
        return Unreachable(f"bad-encoding {error}")

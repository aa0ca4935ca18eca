"""A collector over a real store, inside the test, and what a browser would send to it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.click_records import WatchedSite
from lycosa.clickstream.collector.server import Collector
from lycosa.configuration.sections import Collector as Settings
from lycosa.interface.commands.clicks.collect import listening_on
from lycosa.storage.agent_store import StoreFull
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

KEY = "a-key-of-the-site"
BEGUN = 1_700_000_000.0
SITE = WatchedSite("example.org", KEY, ("https://partner.example",), created=BEGUN - 10 * 86400)
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
PAGE = "https://example.org/burrow"


def an_event(now: float = BEGUN, **changes: Any) -> dict[str, Any]:
    """An event as the beacon sends it; None leaves a field out."""
    event: dict[str, Any] = {
        "v": 1, "k": KEY, "i": "00000000000000aa", "n": 0, "u": PAGE, "r": "", "t": int(now * 1000),
        "a": 1500, "d": 2000, "l": 120, "s": 11_000, "o": 1, "e": {"1": 3, "13": 1},
    }  # fmt: skip
    event |= changes
    return {name: value for name, value in event.items() if value is not None}


class Answered(NamedTuple):
    """What the collector answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Client:
    """One connection to a collector."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, wire: bytes) -> Answered:
        """Send bytes, and read one answer."""
        self.writer.write(wire)
        return await self.read()

    async def read(self) -> Answered:
        """The next answer."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, *lines = head.rstrip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return Answered(int(status.split()[1]), headers, body)

    def close(self) -> None:
        self.writer.close()


def post(body: Any, headers: Mapping[str, str | None] | None = None) -> bytes:
    """A request of the beacon: events as Python values, or a body as it is."""
    told = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields: dict[str, str | None] = {
        "Host": "collector.example",
        "User-Agent": AGENT,
        "Origin": "https://example.org",
        "Content-Type": "text/plain;charset=UTF-8",
        "Content-Length": str(len(told)),
    }
    return request("POST", "/collect", fields | dict(headers or {})) + told


def request(method: str, target: str, headers: Mapping[str, str | None] | None = None) -> bytes:
    """The head of a request; headers that are None are left out."""
    fields: dict[str, str | None] = {"Host": "collector.example", "User-Agent": AGENT} | dict(headers or {})
    lines = [f"{name}: {value}\r\n" for name, value in fields.items() if value is not None]
    return f"{method} {target} HTTP/1.1\r\n{''.join(lines)}\r\n".encode("latin-1")


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self, now: float = BEGUN) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Running(NamedTuple):
    """A collector that runs."""

    port: int
    store: ClickStore
    collector: Collector
    clock: Clock
    ending: asyncio.Event
    serving: asyncio.Task[None]

    async def client(self) -> Client:
        """A new connection."""
        return Client(*await asyncio.open_connection("127.0.0.1", self.port))

    async def send(self, wire: bytes) -> Answered:
        """What a client with a connection of its own is answered."""
        client = await self.client()
        try:
            return await client.send(wire)
        finally:
            client.close()

    async def refusals(self, site: str | None, expected: Mapping[str, int]) -> dict[str, int]:
        """The refusals in the store, as soon as they are those expected; the last ones seen after a second."""
        began = time.monotonic()
        while (found := self.store.refusals(site)) != expected and time.monotonic() - began < 1.0:
            await asyncio.sleep(0.01)
        return found


@asynccontextmanager
async def collecting(
    folder: Path,
    sites: Sequence[WatchedSite] = (SITE,),
    settings: Settings | None = None,
    robot: Callable[[bytes], bool] = lambda agent: b"bot" in agent.lower(),
    store: ClickStore | None = None,
    **more: Any,
) -> AsyncIterator[Running]:
    """A collector on a free port of loopback."""
    kept = store or ClickStore(folder)
    for site in sites:
        kept.put_site(site)
    clock, ending, ready = Clock(), asyncio.Event(), asyncio.Event()
    made = Collector(
        kept,
        DayKeys(folder),
        b"beacon();",
        settings or Settings(),
        failures=(StoreFull,),
        clock=clock,
        robot=robot,
        **more,
    )
    listening = listening_on("127.0.0.1", 0)
    serving = asyncio.create_task(made.serve(listening, ending, ready.set))
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait([serving, waiting], return_when=asyncio.FIRST_COMPLETED)
    try:
        yield Running(listening.getsockname()[1], kept, made, clock, ending, serving)
    finally:
        ending.set()
        await serving
        kept.close()

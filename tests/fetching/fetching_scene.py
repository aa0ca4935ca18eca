"""A fetcher with short deadlines, allowed to talk to one loopback port, and a server for it to talk to."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from misbehaving_server import Misbehaviour, serving

from lycosa.configuration.settings import build
from lycosa.fetching.http_fetcher import http_fetcher
from lycosa.plugins.plug_points import Fetcher, Known
from lycosa.records import Link, Outcome, SiteOpened, SiteShut

QUICK = {
    "connect_within": "800ms",
    "first_byte_within": "800ms",
    "total_within": "600ms",
    "largest_transfer": "256KiB",
    "largest_body": "512KiB",
    "largest_headers": "16KiB",
    "contact": "https://crawler.example/about",
}


def fetcher(
    *ports: int,
    robots: bool = False,
    clock: Callable[[], float] = time.time,
    names: Any = None,
    per_address: int = 8,
    **fetching: Any,
) -> Fetcher:
    """A fetcher that may talk to these ports of 127.0.0.1 and to nothing else on this machine."""
    allowed = {"allow_addresses": [f"127.0.0.1:{port}" for port in ports]}
    politeness = {"robots": robots, "per_address": per_address}
    told = {"fetching": {**QUICK, **allowed, **fetching}, "politeness": politeness, "names": names or {}}
    return http_fetcher(build(told), clock)


@contextlib.asynccontextmanager
async def visiting(
    misbehave: Misbehaviour, tls: ssl.SSLContext | None = None, **settings: Any
) -> AsyncIterator[tuple[Fetcher, str]]:
    """A running server, and a fetcher for it; gives the fetcher and the site."""
    async with serving(misbehave, tls) as port:
        visitor = fetcher(port, **settings)
        try:
            yield visitor, f"{'https' if tls else 'http'}://a.localhost:{port}"
        finally:
            await visitor.close()


def fetch(
    misbehave: Misbehaviour,
    path: str = "/page",
    known: Known | None = None,
    redirects: int = 0,
    tls: ssl.SSLContext | None = None,
    rel: str = "",
    **settings: Any,
) -> Outcome:
    """Open the misbehaving site and fetch one page of it."""

    async def scene() -> Outcome:
        async with visiting(misbehave, tls, **settings) as (visitor, site):
            opened = await visitor.open(site, time.time())
            assert isinstance(opened, SiteOpened), opened
            return await visitor.fetch(Link(site + path, rel=rel, redirects=redirects), known)

    return asyncio.run(asyncio.wait_for(scene(), 10))


def open_site(misbehave: Misbehaviour, now: float = 1000.0, **settings: Any) -> SiteOpened | SiteShut:
    """Open a site, robots.txt and all."""

    async def scene() -> SiteOpened | SiteShut:
        async with visiting(misbehave, robots=True, **settings) as (visitor, site):
            return await visitor.open(site, now)

    return asyncio.run(asyncio.wait_for(scene(), 10))

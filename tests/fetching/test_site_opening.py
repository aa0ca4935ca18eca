"""Opening a site: robots.txt by status class, redirects, ceilings, and how long a shut site stays shut."""

from __future__ import annotations

import asyncio
import gzip
import time
from typing import Any

import pytest
from fetching_scene import fetcher, open_site, visiting
from misbehaving_server import (
    PAGE,
    Misbehaviour,
    answer,
    by_path,
    dripping,
    gzip_bomb,
    path_of,
    pouring,
    raw,
    redirect,
    reset,
    serving,
    silence,
)

from lycosa.fetching.http_fetcher import FIRST_WAIT, LONGEST_WAIT, OpenSites
from lycosa.fetching.robots import parse
from lycosa.plugins.plug_points import Fetcher
from lycosa.records import Failed, Fetched, Link, Outcome, Refused, SiteOpened, SiteShut

DISALLOW_ALL = b"User-agent: *\nDisallow: /\n"
RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 2\nSitemap: http://a.example/s.xml\n"


def plain(body: bytes, *headers: str) -> Misbehaviour:
    return answer(body, kind="text/plain", headers=headers)


def visit(robots: Misbehaviour, path: str = "/page", **settings: Any) -> Outcome | SiteShut:
    """Open a site with such a robots.txt, and fetch a page if it lets us."""

    async def scene() -> Outcome | SiteShut:
        site_answers = by_path(robots=robots, page=answer(), private=answer())
        async with visiting(site_answers, robots=True, **settings) as (visitor, site):
            opened = await visitor.open(site, time.time())
            return opened if isinstance(opened, SiteShut) else await visitor.fetch(Link(site + path))

    return asyncio.run(asyncio.wait_for(scene(), 10))


def test_rules_are_read_and_kept() -> None:
    assert isinstance(visit(plain(RULES)), Fetched)
    refused = visit(plain(RULES), "/private")
    assert isinstance(refused, Refused)
    assert refused.why == "robots"
    opened = open_site(plain(RULES), now=5000.0)
    assert isinstance(opened, SiteOpened)
    assert (opened.crawl_delay, opened.until, opened.requested) == (2.0, 5000.0 + 86400, True)
    assert (opened.sitemaps, opened.address) == (("http://a.example/s.xml",), "127.0.0.1")


def test_the_public_web_is_not_asked_by_anybody_without_a_contact() -> None:
    asked: list[str] = []

    async def remember(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(path_of(request))
        await plain(b"")(request, writer)

    async def scene(**settings: Any) -> SiteOpened | SiteShut:
        async with serving(remember) as port:
            visitor = fetcher(port, robots=True, **settings)
            try:
                return await visitor.open(f"http://public.example:{port}", 0.0)
            finally:
                await visitor.close()

    names = {"hosts": {"public.example": "127.0.0.1"}}
    shut = asyncio.run(scene(contact="", names=names))
    assert isinstance(shut, SiteShut)
    assert (shut.why, shut.until, asked) == ("no-contact", LONGEST_WAIT, [])
    assert isinstance(asyncio.run(scene(names=names)), SiteOpened)
    assert isinstance(
        asyncio.run(scene(contact="", user_agent="Mine/1 (+https://me.example)", names=names)), SiteOpened
    )


class WatchedTurns:
    """Notes whose turn it was; some must not be asked."""

    def __init__(self, forbidden: str = "nobody") -> None:
        self.forbidden = forbidden
        self.taken: list[str] = []
        self.ended: list[tuple[str, bool]] = []

    async def take(self, url: str, address: str) -> str | None:
        assert address == "127.0.0.1"
        if self.forbidden in url:
            return "blocked: it"
        self.taken.append(url)
        return None

    def end(self, url: str, address: str, received: int) -> None:
        self.ended.append((url, received > 0))


def opened_in_turns(turns: WatchedTurns, first: Misbehaviour, second: Misbehaviour) -> SiteOpened | SiteShut:
    async def scene() -> SiteOpened | SiteShut:
        async with visiting(by_path(robots=first, other=second), robots=True) as (visitor, site):
            return await visitor.open(site, 0.0, turns)

    return asyncio.run(asyncio.wait_for(scene(), 10))


def test_every_hop_to_a_robots_txt_waits_for_its_turn() -> None:
    turns = WatchedTurns()
    assert isinstance(opened_in_turns(turns, redirect("/other"), plain(RULES)), SiteOpened)
    assert [url.rpartition("/")[2] for url in turns.taken] == ["robots.txt", "other"]
    assert [received for _, received in turns.ended] == [False, True]


def test_a_hop_that_must_not_be_asked_for_keeps_the_site_shut() -> None:
    turns = WatchedTurns("/other")
    shut = opened_in_turns(turns, redirect("/other"), plain(b""))
    assert isinstance(shut, SiteShut)
    assert (shut.why, shut.detail.partition(": ")[2]) == ("robots-unreachable", "blocked: it")
    assert len(turns.ended) == 1


def test_a_turn_ends_also_when_the_request_fails() -> None:
    turns = WatchedTurns()
    assert isinstance(opened_in_turns(turns, reset, plain(b"")), SiteShut)
    assert len(turns.ended) == len(turns.taken) == 1


def test_a_refused_page_is_not_requested() -> None:
    asked: list[str] = []

    async def remember(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(path_of(request))
        await plain(DISALLOW_ALL)(request, writer)

    async def scene() -> None:
        async with visiting(remember, robots=True) as (visitor, site):
            await visitor.open(site, time.time())
            assert isinstance(await visitor.fetch(Link(f"{site}/page")), Refused)

    asyncio.run(scene())
    assert asked == ["/robots.txt"]


def test_the_own_name_counts_also_where_it_was_changed() -> None:
    body = b"User-agent: *\nDisallow:\n\nUser-agent: Lycosa\nDisallow: /\n\nUser-agent: other\nDisallow:\n"
    assert isinstance(visit(plain(body)), Refused)
    assert isinstance(visit(plain(body), user_agent="Other/2.0"), Fetched)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 451, 300, 304])
def test_no_robots_txt_means_no_rules(status: int) -> None:
    assert isinstance(visit(answer(DISALLOW_ALL, f"{status} No")), Fetched)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 599, 999])
def test_a_failing_server_shuts_the_site(status: int) -> None:
    shut = open_site(answer(b"", f"{status} No"))
    assert isinstance(shut, SiteShut)
    assert (shut.why, shut.until, shut.requested) == ("robots-unreachable", 1000.0 + FIRST_WAIT, True)
    assert f"http-{status}" in shut.detail


def test_a_shut_site_says_when_to_come_back() -> None:
    shut = open_site(answer(b"", "503 Busy", headers=("Retry-After: 7200",)))
    assert isinstance(shut, SiteShut)
    assert shut.until == 1000.0 + 7200


@pytest.mark.parametrize(
    ("misbehave", "detail"),
    [
        (silence, "timeout"),
        (dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"x"), "timeout"),
        (reset(b""), "reset"),
        (raw(b"junk", close=True), "protocol"),
        (pouring(b"HTTP/1.1 200 OK\r\n", b"X: " + b"y" * 999 + b"\r\n"), "headers-too-large"),
        (plain(DISALLOW_ALL, "Content-Encoding: gzip"), "bad-encoding"),
    ],
    ids=["silence", "drip", "reset", "junk", "headers", "encoding"],
)
def test_an_unreadable_answer_shuts_the_site(misbehave: Misbehaviour, detail: str) -> None:
    shut = open_site(misbehave)
    assert isinstance(shut, SiteShut)
    assert shut.why == "robots-unreachable"
    assert detail in shut.detail


def test_the_wait_doubles_up_to_a_day_and_is_forgotten_on_success() -> None:
    async def scene() -> list[float]:
        failing = True

        async def sometimes(request: bytes, writer: asyncio.StreamWriter) -> None:
            await (answer(b"", "500 No") if failing else plain(b""))(request, writer)

        waits: list[float] = []
        async with visiting(sometimes, robots=True) as (visitor, site):
            for _ in range(10):
                waits.append(await _wait(visitor, site))
            failing = False
            assert isinstance(await visitor.open(site, 0.0), SiteOpened)
            failing = True
            waits.append(await _wait(visitor, site))
        return waits

    waits = asyncio.run(scene())
    assert waits[:3] == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT]
    assert waits[9] == LONGEST_WAIT
    assert waits[10] == FIRST_WAIT


async def _wait(visitor: Fetcher, site: str) -> float:
    shut = await visitor.open(site, 0.0)
    assert isinstance(shut, SiteShut)
    return shut.until


def test_a_site_that_shuts_is_no_longer_open() -> None:
    async def scene() -> Outcome:
        status = "200 OK"

        async def changing(request: bytes, writer: asyncio.StreamWriter) -> None:
            await answer(b"", status)(request, writer)

        async with visiting(changing, robots=True) as (visitor, site):
            assert isinstance(await visitor.open(site, time.time()), SiteOpened)
            status = "500 No"
            assert isinstance(await visitor.open(site, time.time()), SiteShut)
            return await visitor.fetch(Link(f"{site}/"))

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert outcome.why == "site-not-open"


def test_rules_that_change_hold_from_the_next_opening() -> None:
    async def scene() -> None:
        rules = b""

        async def changing(request: bytes, writer: asyncio.StreamWriter) -> None:
            await by_path(robots=plain(rules), page=answer())(request, writer)

        async with visiting(changing, robots=True) as (visitor, site):
            await visitor.open(site, time.time())
            assert isinstance(await visitor.fetch(Link(f"{site}/page")), Fetched)
            rules = DISALLOW_ALL
            assert isinstance(await visitor.fetch(Link(f"{site}/page")), Fetched)
            await visitor.open(site, time.time())
            assert isinstance(await visitor.fetch(Link(f"{site}/page")), Refused)

    asyncio.run(scene())


@pytest.mark.parametrize(("hops", "followed"), [(1, True), (5, True), (6, False)])
def test_five_redirects_are_followed(hops: int, followed: bool) -> None:
    async def chain(request: bytes, writer: asyncio.StreamWriter) -> None:
        path = path_of(request)
        if path == "/page":
            await answer()(request, writer)
            return
        hop = 0 if path == "/robots.txt" else int(path.removeprefix("/hop"))
        await (plain(DISALLOW_ALL) if hop == hops else redirect(f"/hop{hop + 1}"))(request, writer)

    async def scene() -> Outcome:
        async with visiting(chain, robots=True) as (visitor, site):
            assert isinstance(await visitor.open(site, time.time()), SiteOpened)
            return await visitor.fetch(Link(f"{site}/page"))

    assert isinstance(asyncio.run(scene()), Refused if followed else Fetched)


def test_a_redirect_to_nowhere_means_no_rules() -> None:
    assert isinstance(visit(redirect("javascript:alert(1)")), Fetched)
    assert isinstance(visit(redirect("/robots.txt")), Fetched)


def test_the_guard_checks_every_hop() -> None:
    async def scene() -> tuple[SiteOpened | SiteShut, int]:
        secrets = 0

        async def secret(request: bytes, writer: asyncio.StreamWriter) -> None:
            nonlocal secrets
            secrets += 1
            await plain(b"")(request, writer)

        async with (
            serving(secret) as inner,
            visiting(redirect(f"http://127.0.0.1:{inner}/x"), robots=True) as (visitor, site),
        ):
            return await visitor.open(site, 0.0), secrets

    shut, secrets = asyncio.run(scene())
    assert isinstance(shut, SiteShut)
    assert "address-refused" in shut.detail
    assert secrets == 0


@pytest.mark.parametrize(
    ("robots", "allowed"),
    [
        (answer(PAGE + DISALLOW_ALL), True),
        (plain(b"\xef\xbb\xbf" + DISALLOW_ALL), False),
        (plain(DISALLOW_ALL.decode().encode("utf-16")), False),
        (plain(gzip.compress(DISALLOW_ALL), "Content-Encoding: gzip"), False),
        (plain(DISALLOW_ALL + b"# filler\n" * 600_000), False),
        (plain(b"# filler\n" * 600_000 + DISALLOW_ALL), True),
        (plain(gzip_bomb(20_000_000), "Content-Encoding: gzip"), True),
        (plain(gzip.compress(DISALLOW_ALL + bytes(20_000_000)), "Content-Encoding: gzip"), False),
        (plain(b""), True),
    ],
    ids=["html", "bom", "utf-16", "gzip", "5 MB", "5 MB before the rules", "bomb", "rules and a bomb", "empty"],
)
def test_odd_files(robots: Misbehaviour, allowed: bool) -> None:
    assert isinstance(visit(robots, total_within="5s"), Fetched if allowed else Refused)


@pytest.mark.parametrize(
    ("host", "why"),
    [("127.0.0.1", "address-refused"), ("localhost", "address-refused"), ("10.0.0.1", "address-refused")],
)
def test_sites_at_private_addresses_are_shut_unasked(host: str, why: str) -> None:
    async def scene() -> SiteOpened | SiteShut:
        async with serving(answer()) as port:
            visitor = fetcher(robots=True)
            try:
                return await visitor.open(f"http://{host}:{port}", 0.0)
            finally:
                await visitor.close()

    shut = asyncio.run(scene())
    assert isinstance(shut, SiteShut)
    assert (shut.why, shut.requested, shut.until) == (why, False, LONGEST_WAIT)


def test_sites_without_a_name_are_shut_for_a_while() -> None:
    async def scene() -> SiteOpened | SiteShut:
        visitor = fetcher(robots=True, names={"nameservers": ["127.0.0.1:1"], "within": "200ms"})
        try:
            return await visitor.open("http://nowhere.example", 0.0)
        finally:
            await visitor.close()

    shut = asyncio.run(scene())
    assert isinstance(shut, SiteShut)
    assert shut.why in ("dns-failed", "dns-timeout")
    assert (shut.until, shut.requested) == (FIRST_WAIT, False)


def test_open_sites_stay_within_their_bounds() -> None:
    sites = OpenSites(most_sites=3, most_rules=10)
    small, large = (
        parse(RULES).rules_for("x"),
        parse(b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % n for n in range(9))),
    )
    for number in range(5):
        sites.add(f"http://{number}", small, 10.0)
    assert [sites.rules(f"http://{n}", 0.0) is not None for n in range(5)] == [False, False, True, True, True]
    sites.add("http://large", large.rules_for("x"), 10.0)
    assert [sites.rules(f"http://{n}", 0.0) is not None for n in range(5)] == [False, False, False, False, True]
    sites.add("http://large", large.rules_for("x"), 10.0)
    assert sites.rules("http://4", 0.0) is not None
    assert sites.rules("http://large", 9.9) is not None
    assert sites.rules("http://large", 10.0) is None

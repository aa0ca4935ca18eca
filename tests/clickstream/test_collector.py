"""The collector over a real store: what is counted, what is answered, what is kept and what is destroyed."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from own_collector import AGENT, BEGUN, KEY, PAGE, SITE, Running, an_event, collecting, post, request

from lycosa.click_records import DAY, ClickEvent, Source, day_of
from lycosa.clickstream.collector.events import Refusal
from lycosa.clickstream.collector.http_requests import read_head
from lycosa.clickstream.collector.request_handler import Reception
from lycosa.clickstream.visitors import is_robot
from lycosa.configuration.sections import Collector as Settings
from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.cli import parser
from lycosa.interface.operations.collector_settings import collector_settings
from lycosa.storage.agent_store import StoreFull
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile Safari/604.1"


# -- counting -----------------------------------------------------------------------------------


def test_an_acknowledged_event_is_in_the_page_s_record(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            answered = await running.send(post(an_event(r="https://search.example/?q=x")))
            assert (answered.status, answered.body) == (204, b"")
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert (page.visits, page.visitors, page.duration, page.length, page.ascii_sum) == (1, 1, 1500, 120, 11_000)
            assert (page.downloads, page.actions, page.referrers) == (1, {1: 3, 13: 1}, {"https://search.example/": 1})
            assert (page.created, page.last_access) == (BEGUN, BEGUN)
            assert running.store.refusals() == {}

    asyncio.run(play())


def test_events_of_a_view_add_up_and_replays_are_refused_and_counted(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            running.clock.now += 60
            later = an_event(running.clock.now, n=1, a=500, d=500, e={"9": 1}, l=None, s=None, o=None)
            assert (await running.send(post([an_event(), later]))).status == 204
            assert (await running.send(post([an_event(), later]))).status == 204
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert (page.visits, page.visitors, page.duration, page.length) == (1, 1, 2000, 120)
            assert page.actions == {1: 3, 9: 1, 13: 1}
            assert running.store.refusals(SITE.name) == {"replay": 2}
            (row,) = running.store.behaviours(SITE.name)
            assert (row.visits, row.active, row.dwell, row.actions) == (1, 2000, 2500, page.actions)

    asyncio.run(play())


def test_a_view_counts_no_more_time_than_has_passed(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            await running.send(post(an_event(a=1000, d=1000)))
            for number in range(1, 20):
                running.clock.now += 1
                day = 86_400_000
                await running.send(post(an_event(running.clock.now, n=number, a=day, d=day, e={})))
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert page.duration <= 1000 + 19_000 + 1000

    asyncio.run(play())


def test_visitors_are_told_apart_by_address_and_browser(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, settings=Settings(trusted_proxies=("127.0.0.0/8",))) as running:
            for number, (address, agent) in enumerate(
                [("192.0.2.1", AGENT), ("192.0.2.1", IPHONE), ("192.0.2.2", AGENT), ("192.0.2.1", AGENT)]
            ):
                headers = {"X-Forwarded-For": f"6.6.6.6, {address}", "User-Agent": agent}
                await running.send(post(an_event(i=f"{number:016x}"), headers))
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert (page.visits, page.visitors) == (4, 3)

    asyncio.run(play())


def test_the_pixel_counts_one_visit_of_the_page_that_shows_it(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            answered = await running.send(request("GET", f"/pixel.gif?k={KEY}", {"Referer": PAGE}))
            assert (answered.status, answered.body[:6]) == (200, b"GIF89a")
            assert answered.headers["content-type"] == "image/gif"
            assert answered.headers["cache-control"] == "no-store"
            assert answered.headers["cross-origin-resource-policy"] == "cross-origin"
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert (page.visits, page.duration, page.actions) == (1, 0, {})
            refused = [
                await running.send(request("GET", f"/pixel.gif?k={KEY}", {"Referer": "https://evil.example/"})),
                await running.send(request("GET", f"/pixel.gif?k={KEY}")),
                await running.send(request("GET", "/pixel.gif?k=wrong", {"Referer": PAGE})),
                await running.send(request("GET", f"/pixel.gif?k={KEY}", {"Referer": PAGE, "DNT": "1"})),
            ]
            assert [each.status for each in refused] == [403, 400, 403, 200]
            expected = {"foreign-site": 1, "bad-url": 1, "opted-out": 1}
            assert await running.refusals(SITE.name, expected) == expected

    asyncio.run(play())


def test_totals_and_refusals_are_seen_by_another_reader_within_a_second(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            began = time.monotonic()
            await running.send(post(an_event()))
            await running.send(post(b"garbage"))
            assert await running.refusals("", {"malformed": 1}) == {"malformed": 1}
            assert [page.visits for page in running.store.pages(SITE.name, Source.BEACON)] == [1]
            assert time.monotonic() - began < 1.0

    asyncio.run(play())


# -- answers ------------------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], dict[str, str | None], int, str]] = [
    ({"k": "another-key"}, {}, 403, "unknown-key"),
    ({"u": "https://evil.example/"}, {}, 403, "foreign-site"),
    ({}, {"Origin": "https://evil.example"}, 403, "wrong-origin"),
    ({}, {"Origin": "null"}, 403, "wrong-origin"),
    ({"u": "javascript:alert(1)"}, {}, 400, "bad-url"),
    ({"t": (BEGUN + 400) * 1000}, {}, 400, "bad-time"),
    ({"t": (BEGUN - 4000) * 1000}, {}, 400, "bad-time"),
    ({"n": -1}, {}, 400, "malformed"),
    ({}, {"DNT": "1"}, 204, "opted-out"),
    ({}, {"Sec-GPC": "1"}, 204, "opted-out"),
    ({}, {"User-Agent": "ExampleBot/1.0 (+https://bot.example)"}, 204, "robot"),
]


@pytest.mark.parametrize(("changes", "headers", "status", "reason"), REFUSED)
def test_every_refusal_has_a_name_a_status_and_a_count(
    tmp_path: Path, changes: dict[str, Any], headers: Mapping[str, str | None], status: int, reason: str
) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            answered = await running.send(post(an_event(**changes), headers))
            assert answered.status == status
            assert answered.body.decode().strip() == (reason if status != 204 else "")
            assert await running.refusals(None, {reason: 1}) == {reason: 1}
            site = "" if reason in ("unknown-key", "malformed") else SITE.name
            assert running.store.refusals(site) == {reason: 1}
            assert list(running.store.pages(SITE.name)) == []

    asyncio.run(play())


def test_one_bad_event_does_not_take_the_good_ones_with_it(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            events = [an_event(), an_event(i="00000000000000bb", u="https://evil.example/")]
            assert (await running.send(post(events))).status == 204
            assert running.store.refusals(SITE.name) == {"foreign-site": 1}
            assert [page.url for page in running.store.pages(SITE.name)] == [PAGE]

    asyncio.run(play())


def test_only_origins_of_the_site_may_read_answers(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            for origin, told in [("https://www.example.org", True), ("https://evil.example", False)]:
                answered = await running.send(post(an_event(), {"Origin": origin}))
                preflight = await running.send(
                    request("OPTIONS", "/collect", {"Origin": origin, "Access-Control-Request-Method": "POST"})
                )
                assert preflight.status == 204
                assert ("access-control-allow-methods" in preflight.headers) is told
                for each in (answered, preflight):
                    assert each.headers.get("access-control-allow-origin") == (origin if told else None)
                    assert each.headers["vary"] == "Origin"
            assert (await running.send(post(an_event(n=5), {"Origin": None}))).status == 204

    asyncio.run(play())


def test_the_script_is_served_to_all_sites_packed_and_for_a_while(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            plain = await running.send(request("GET", "/beacon.js"))
            assert (plain.status, plain.body) == (200, b"beacon();")
            assert plain.headers["content-type"] == "text/javascript; charset=utf-8"
            assert plain.headers["cache-control"] == "public, max-age=3600"
            assert plain.headers["cross-origin-resource-policy"] == "cross-origin"
            assert plain.headers["x-content-type-options"] == "nosniff"
            packed = await running.send(request("GET", "/beacon.js", {"Accept-Encoding": "br, gzip"}))
            assert packed.headers["content-encoding"] == "gzip"
            assert gzip.decompress(packed.body) == b"beacon();"
            known = await running.send(request("GET", "/beacon.js", {"If-None-Match": plain.headers["etag"]}))
            assert (known.status, known.body) == (304, b"")

    asyncio.run(play())


def test_there_is_nothing_else(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            client = await running.client()
            for wire, status in [
                (request("GET", "/health"), 200),
                (request("GET", "/"), 404),
                (request("GET", "/collect"), 405),
                (request("GET", "/../clicks/data.mdb"), 404),
                (request("DELETE", "/beacon.js"), 405),
                (request("POST", "/health", {"Content-Length": "0"}), 405),
            ]:
                assert (await client.send(wire)).status == status
            client.close()

    asyncio.run(play())


def test_requests_on_one_connection_are_answered_in_their_order(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            client = await running.client()
            wires = [post(an_event(i=f"{number:016x}")) + request("GET", "/health") for number in range(50)]
            client.writer.write(b"".join(wires))
            assert [(await client.read()).status for _ in range(100)] == [204, 200] * 50
            client.close()
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert page.visits == 50

    asyncio.run(play())


# -- robots -------------------------------------------------------------------------------------


def test_robots_are_known_by_their_names_and_people_are_not() -> None:
    assert is_robot(b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
    assert is_robot(b"curl/8.5.0")
    assert is_robot(b"")
    assert not is_robot(AGENT.encode())
    assert not is_robot(IPHONE.encode())


# -- trouble ------------------------------------------------------------------------------------


class FullStore(ClickStore):
    """A store whose disk can be full."""

    full = False

    def add_events(self, events: Any, refusals: Any = None) -> int:
        if self.full:
            raise StoreFull("no space left")
        return super().add_events(events, refusals)


def test_a_full_disk_acknowledges_nothing_and_is_told(tmp_path: Path) -> None:
    async def play() -> None:
        store = FullStore(tmp_path)
        async with collecting(tmp_path, store=store) as running:
            store.full = True
            answered = await running.send(post(an_event()))
            assert (answered.status, answered.body) == (503, b"overloaded\n")
            assert int(answered.headers["retry-after"]) >= 1
            assert (await running.send(request("GET", "/health"))).status == 503
            store.full = False
            assert (await running.send(post(an_event()))).status == 204
            assert (await running.send(request("GET", "/health"))).status == 200
            assert await running.refusals(SITE.name, {"overloaded": 1}) == {"overloaded": 1}
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert page.visits == 1

    asyncio.run(play())


class NoKeys(DayKeys):
    """Keys whose disk is full at midnight."""

    def key(self, day: int) -> bytes | None:
        raise OSError("no space left on device")


def test_without_room_for_the_key_of_the_day_nobody_is_counted_under_another(tmp_path: Path) -> None:
    reception = Reception(Settings(), NoKeys(tmp_path))
    reception.watch([SITE])
    head = read_head(post(an_event()).partition(b"\r\n\r\n")[0])
    assert not isinstance(head, int)
    found = reception.post(head, json.dumps(an_event()).encode(), "192.0.2.1", BEGUN, 1.0)
    assert (found.events, found.refused) == ((), [(SITE.name, Refusal.OVERLOADED, 1)])


class BrokenStore(ClickStore):
    """A store that breaks in a way nobody foresaw."""

    def add_events(self, events: Any, refusals: Any = None) -> int:
        raise ZeroDivisionError


def test_a_broken_store_ends_the_collector_and_acknowledges_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, store=BrokenStore(tmp_path)) as running:
            with pytest.raises(asyncio.IncompleteReadError):
                await running.send(post(an_event()))
            await running.serving

    with pytest.raises(ZeroDivisionError):
        asyncio.run(play())


# -- retention ----------------------------------------------------------------------------------


def test_keys_and_what_visitors_did_are_destroyed_while_running_and_totals_stay(tmp_path: Path) -> None:
    async def play() -> None:
        settings = Settings(keys_kept=type(Settings().keys_kept)(2 * DAY), kept=type(Settings().kept)(5 * DAY))
        async with collecting(tmp_path, settings=settings) as running:
            keys, first = DayKeys(tmp_path), day_of(BEGUN)
            assert (await running.send(post(an_event()))).status == 204
            kept = [await _after(running, days, keys) for days in (1, 3, 4, 7)]
            assert kept == [(True, 1), (False, 1), (False, 1), (False, 0)]
            assert keys.key(first) is None, "a key that was destroyed is not made again"
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert page.visits == 1

    asyncio.run(play())


async def _after(running: Running, days: float, keys: DayKeys) -> tuple[bool, int]:
    """Whether the first day's key is there so many days later, and how many rows of visitors."""
    running.clock.now = BEGUN + days * DAY
    await running.collector.look_around()
    return day_of(BEGUN) in keys.days(), len(list(running.store.behaviours()))


def test_a_site_that_is_added_while_running_is_watched_within_a_second(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, sites=()) as running:
            assert (await running.send(post(an_event()))).status == 403
            running.store.put_site(SITE)
            began = time.monotonic()
            while (await running.send(post(an_event()))).status != 204:
                assert time.monotonic() - began < 1.5
                await asyncio.sleep(0.05)

    asyncio.run(play())


# -- commands -----------------------------------------------------------------------------------


def run(home: Path, *words: str) -> int:
    """What the command line would do."""
    told = parser(["clicks.actions", "clicks.collect"]).parse_args(["--home", str(home), *words])
    code: int = told.run(told)
    return code


def test_sites_are_added_listed_and_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add = ("clicks", "sites", "add", "Example.ORG", "--collector", "https://collect.example.org/c")
    assert run(tmp_path, *add, "--origin", "https://Partner.example/") == 0
    pasted = capsys.readouterr().out
    assert run(tmp_path, "clicks", "sites", "list", "--json") == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["site"], listed["origins"]) == ("example.org", ["https://partner.example"])
    assert len(listed["key"]) >= 16
    assert f'src="https://collect.example.org/c/beacon.js" data-key="{listed["key"]}"' in pasted
    assert run(tmp_path, *add, "--json") == 0
    assert json.loads(capsys.readouterr().out)["key"] == listed["key"], "a site keeps its key"
    assert run(tmp_path, "clicks", "sites", "remove", "example.org") == 0
    capsys.readouterr()
    run(tmp_path, "clicks", "sites", "list", "--json")
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    "words",
    [
        ("clicks", "sites", "add", "https://example.org/path"),
        ("clicks", "sites", "add", "exa mple"),
        ("clicks", "sites", "add", "example.org", "--origin", "partner"),
        ("clicks", "sites", "add", "example.org", "--collector", "collector"),
        ("clicks", "sites", "list"),
        ("clicks", "forget", "--site", "example.org", "--before", "3"),
        ("clicks", "forget", "--before", "-1"),
        ("collect", "--port", "0", "--set", "evnts_per_minute=3"),
        ("collect", "--port", "0", "--set", "connections=0"),
        ("collect", "--port", "0", "--set", "request_within=fast"),
        ("collect", "--port", "0", "--set", 'trusted_proxies=["nginx"]'),
        ("collect", "--port", "0", "--set", "kept"),
        ("collect", "--port", "99999"),
        ("collect", "--host", "no such host", "--port", "0"),
    ],
)
def test_what_cannot_be_is_one_sentence(tmp_path: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError) as told:
        run(tmp_path, *words)
    assert "\n" not in str(told.value)


def test_settings_come_from_the_file_and_the_command_line(tmp_path: Path) -> None:
    assert collector_settings(tmp_path) == Settings()
    (tmp_path / "collect.toml").write_text('events_per_minute = 60\nkept = "30d"\n')
    found = collector_settings(tmp_path, ["events_per_minute=90"])
    assert (found.events_per_minute, found.kept) == (90, 30 * DAY)
    (tmp_path / "collect.toml").write_text("event_per_minute = 60\n")
    with pytest.raises(ConfigurationError, match=r"collect\.toml: unknown key 'event_per_minute'; did you mean"):
        collector_settings(tmp_path)


def an_old_event(days: float, number: int) -> ClickEvent:
    at = time.time() - days * DAY
    return ClickEvent(SITE.name, PAGE, at, day_of(at), bytes(16), number.to_bytes(8, "big"), 0, actions={1: 1})


def test_forgetting_and_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "clicks"
    with ClickStore(folder) as store:
        store.put_site(SITE)
        store.add_events([an_old_event(days, days) for days in (0, 10, 200)], {("", "malformed"): 3})
        store.add_events([an_old_event(0, 0)])
        assert run(tmp_path, "clicks", "refusals", "--json") == 0
        assert json.loads(capsys.readouterr().out) == {"": {"malformed": 3}, SITE.name: {"replay": 1}}
        assert run(tmp_path, "clicks", "refusals", "--site", SITE.name) == 0
        assert capsys.readouterr().out == "example.org: replay 1\n"
        for words, left in [((), 2), (("--before", "5"), 1), (("--before", "0"), 0)]:
            run(tmp_path, "clicks", "forget", *words)
            assert len(list(store.behaviours())) == left
        assert [page.visits for page in store.pages()] == [3]
        run(tmp_path, "clicks", "forget", "--site", SITE.name)
        assert (list(store.pages()), store.site(SITE.name)) == ([], SITE)

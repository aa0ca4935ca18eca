"""The HTTP fetcher against servers on loopback that misbehave in every way we know."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import time
import tracemalloc
import zlib
from collections.abc import Callable
from email.utils import formatdate

import brotli
import msgspec
import pytest
import zstandard
from fetching_scene import QUICK, fetch, fetcher, visiting
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

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError, build
from lycosa.fetching.http_fetcher import HttpFetcher
from lycosa.fetching.response_outcome import retry_after
from lycosa.plugins.plug_points import Fetcher, Known
from lycosa.records import SITEMAP, Failed, Fetched, Link, Outcome, Redirected, Refused, SiteOpened, SiteShut, Unchanged

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def failed(outcome: Outcome) -> Failed:
    assert isinstance(outcome, Failed), outcome
    return outcome


def fetched(outcome: Outcome) -> Fetched:
    assert isinstance(outcome, Fetched), outcome
    return outcome


def test_a_page_arrives() -> None:
    response = fetched(fetch(answer(headers=("ETag: x", "X-Twice: 1", "X-Twice: 2")))).response
    assert response.body == PAGE
    assert response.raw is response.body
    assert (response.status, response.address, response.truncated) == (200, "127.0.0.1", False)
    assert response.header("etag") == "x"
    assert [value for name, value in response.headers if name == "X-Twice"] == ["1", "2"]
    assert abs(response.began - time.time()) < 60
    assert 0 < response.seconds < 5


def test_the_request_is_honest_and_carries_no_secrets() -> None:
    requests: list[bytes] = []

    async def remember(request: bytes, writer: asyncio.StreamWriter) -> None:
        requests.append(request)
        await answer(headers=("Set-Cookie: a=b", "Set-Cookie: c=d; Domain=localhost"))(request, writer)

    async def scene() -> None:
        async with visiting(remember) as (visitor, site):
            await visitor.open(site, time.time())
            for _ in range(2):
                fetched(await visitor.fetch(Link(f"{site}/p?q=1")))

    asyncio.run(scene())
    assert len(requests) == 2
    for request in requests:
        text = request.decode().lower()
        assert "get /p?q=1 http/1.1" in text
        assert "user-agent: lycosa/" in text
        assert "(+https://crawler.example/about)" in text
        assert "accept-encoding: gzip, deflate, br, zstd" in text
        assert not any(word in text for word in ("cookie", "authorization", "referer", "if-none-match"))


def test_conditions_are_sent_once_and_cleanly() -> None:
    requests: list[str] = []

    async def remember(request: bytes, writer: asyncio.StreamWriter) -> None:
        requests.append(request.decode())
        await raw(b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n")(request, writer)

    async def scene() -> list[Outcome]:
        async with visiting(remember) as (visitor, site):
            await visitor.open(site, time.time())
            link = Link(f"{site}/")
            return [
                await visitor.fetch(link, Known('"x"', "Mon, 01 Jan 2024 00:00:00 GMT")),
                await visitor.fetch(link),
                await visitor.fetch(link, Known('"x"\r\nX-Evil: 1', "Ümlaut")),
            ]

    outcomes = asyncio.run(scene())
    assert isinstance(outcomes[0], Unchanged)
    assert failed(outcomes[1]).why == failed(outcomes[2]).why == "http-304"
    assert 'If-None-Match: "x"' in requests[0]
    assert "If-Modified-Since: Mon, 01 Jan 2024" in requests[0]
    assert "If-" not in requests[1]
    assert "If-" not in requests[2]
    assert "Evil" not in requests[2]


def test_connections_are_kept() -> None:
    async def scene() -> set[object]:
        peers: set[object] = set()

        async def remember(request: bytes, writer: asyncio.StreamWriter) -> None:
            peers.add(writer.get_extra_info("peername"))
            await answer()(request, writer)

        async with visiting(remember) as (visitor, site):
            await visitor.open(site, time.time())
            for number in range(5):
                fetched(await visitor.fetch(Link(f"{site}/{number}")))
        return peers

    assert len(asyncio.run(scene())) == 1


def with_connections(visitor: HttpFetcher, number: int) -> Configuration:
    settings = visitor._configuration
    return msgspec.structs.replace(
        settings, politeness=msgspec.structs.replace(settings.politeness, per_address=number)
    )


def test_the_connections_to_an_address_are_as_many_as_the_settings_say_now() -> None:
    """Requests in flight are not cut short when the settings change."""

    async def scene() -> list[int]:
        at_once = 0
        most: list[int] = []
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def held(request: bytes, writer: asyncio.StreamWriter) -> None:
            nonlocal at_once
            at_once += 1
            most.append(at_once)
            begun.set()
            await go_on.wait()
            await answer()(request, writer)
            at_once -= 1

        async with visiting(held, per_address=1, first_byte_within="5s", total_within="5s") as (visitor, site):
            await visitor.open(site, time.time())
            before = asyncio.create_task(visitor.fetch(Link(f"{site}/before")))
            await begun.wait()
            assert isinstance(visitor, HttpFetcher)
            visitor.adjust(with_connections(visitor, 2))
            after = [asyncio.create_task(visitor.fetch(Link(f"{site}/{number}"))) for number in range(2)]
            while len(most) < 3:
                begun.clear()
                await asyncio.wait_for(begun.wait(), 5)
            go_on.set()
            for outcome in await asyncio.gather(before, *after):
                fetched(outcome)
            visitor.adjust(with_connections(visitor, 1))
            most.clear()
            await asyncio.gather(*(visitor.fetch(Link(f"{site}/{number}")) for number in range(3)))
        return most

    assert asyncio.run(scene()) == [1, 1, 1]


def test_many_requests_are_in_flight_at_once() -> None:
    async def scene() -> None:
        waiting = asyncio.Event()
        seen = 0

        async def together(request: bytes, writer: asyncio.StreamWriter) -> None:
            nonlocal seen
            seen += 1
            if seen == 50:
                waiting.set()
            await waiting.wait()
            await answer(path_of(request).encode())(request, writer)

        async with visiting(together, per_address=50, first_byte_within="5s", total_within="5s") as (visitor, site):
            await visitor.open(site, time.time())
            outcomes = await asyncio.gather(*(visitor.fetch(Link(f"{site}/{number}")) for number in range(50)))
        assert [fetched(outcome).response.body for outcome in outcomes] == [f"/{n}".encode() for n in range(50)]

    asyncio.run(scene())


def test_a_site_must_be_open() -> None:
    async def scene() -> None:
        now = 1000.0
        async with visiting(answer(), clock=lambda: now) as (visitor, site):
            shut = failed(await visitor.fetch(Link(f"{site}/")))
            assert (shut.why, shut.again) == ("site-not-open", True)
            opened = await visitor.open(site, now)
            assert isinstance(opened, SiteOpened)
            assert (opened.until, opened.requested, opened.address) == (1000.0 + 86400, False, "127.0.0.1")
            fetched(await visitor.fetch(Link(f"{site}/")))
            now = opened.until
            assert failed(await visitor.fetch(Link(f"{site}/"))).why == "site-not-open"

    asyncio.run(scene())


def test_a_cancelled_fetch_leaves_its_handle_usable() -> None:
    async def scene() -> None:
        async with visiting(by_path(slow=silence, quick=answer()), total_within="5s", first_byte_within="5s") as (
            visitor,
            site,
        ):
            await visitor.open(site, time.time())
            for _ in range(3):
                slow = asyncio.create_task(visitor.fetch(Link(f"{site}/slow")))
                await asyncio.sleep(0.05)
                slow.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await slow
                fetched(await visitor.fetch(Link(f"{site}/quick")))

    asyncio.run(scene())


def test_closing_ends_what_is_in_flight() -> None:
    async def scene() -> None:
        async with visiting(silence, total_within="9s", first_byte_within="9s") as (visitor, site):
            await visitor.open(site, time.time())
            waiting = asyncio.create_task(visitor.fetch(Link(f"{site}/slow")))
            await asyncio.sleep(0.05)
            await visitor.close()
            assert failed(await waiting).why == "closed"
            assert failed(await visitor.fetch(Link(f"{site}/slow"))).why == "closed"

    asyncio.run(asyncio.wait_for(scene(), 5))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/other", "{site}/other"),
        ("../up#part", "{site}/up"),
        ("//b.example/x", "http://b.example/x"),
        ("HTTPS://B.example:443/%7Ex", "https://b.example/~x"),
        ("http://user:secret@b.example/", "http://b.example/"),
        ("/caf\u00c3\u00a9", "{site}/caf%C3%A9"),
    ],
)
def test_redirects_are_reported_not_followed(status: int, location: str, target: str) -> None:
    outcome = fetch(redirect(location, f"{status} Elsewhere"), "/a/b")
    assert isinstance(outcome, Redirected)
    assert outcome.target == target.format(site=outcome.link.url.removesuffix("/a/b"))
    assert outcome.response.status == status


@pytest.mark.parametrize(
    "location",
    ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://a.example/", "gopher://a.example/", "http://",
     "", "http://[::1", "/" + "x" * 9000],
)  # fmt: skip
def test_redirects_to_nowhere(location: str) -> None:
    outcome = failed(fetch(redirect(location)))
    assert (outcome.why, outcome.again) == ("bad-redirect", False)
    assert outcome.response is not None


def test_chains_of_redirects_end() -> None:
    assert isinstance(fetch(redirect("/next"), redirects=2, most_redirects=3), Redirected)
    assert failed(fetch(redirect("/next"), redirects=3, most_redirects=3)).why == "too-many-redirects"


def test_a_redirect_to_itself_is_a_loop_but_not_one_that_adds_a_parameter_we_drop() -> None:
    assert failed(fetch(redirect("/page#top"))).why == "redirect-loop"
    outcome = fetch(redirect("/page?utm_source=news"))
    assert isinstance(outcome, Redirected)
    assert outcome.target == f"{outcome.link.url}?utm_source=news"


def test_a_bomb_in_a_redirect_is_not_unpacked() -> None:
    outcome = fetch(redirect("/x", body=gzip_bomb(10_000_000), headers=("Content-Encoding: gzip",)))
    assert isinstance(outcome, Redirected)
    assert outcome.response.body == b""


@pytest.mark.parametrize(
    ("status", "again"),
    [(400, False), (401, False), (403, False), (404, False), (410, False), (451, False), (408, True), (429, True),
     (500, True), (503, True), (300, False), (305, False), (600, False), (999, False)],
)  # fmt: skip
def test_errors_are_named_and_keep_their_response(status: int, again: bool) -> None:
    outcome = failed(fetch(answer(b"<p>sorry", f"{status} Sorry")))
    assert (outcome.why, outcome.again) == (f"http-{status}", again)
    assert outcome.response is not None
    assert outcome.response.body == b"<p>sorry"


def test_error_pages_are_read_only_in_part() -> None:
    outcome = failed(fetch(answer(b"x" * 200_000, "404 Not Found")))
    assert outcome.why == "http-404"
    assert outcome.response is not None
    assert (len(outcome.response.body), outcome.response.truncated) == (65536, True)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("120", 120.0), ("0", 0.0), ("99999999", 86400.0), ("9" * 400, 86400.0), ("-5", None), ("soon", None), ("", None),
     ("nan", None), (formatdate(1_000_060, usegmt=True), 60.0), (formatdate(999_000, usegmt=True), 0.0),
     ("Mon, 99 Foo 2024 00:00:00 GMT", None), ("²", None)],
)  # fmt: skip
def test_retry_after(written: str, seconds: float | None) -> None:
    assert retry_after(written, 1_000_000.0) == seconds


def test_retry_after_reaches_the_outcome() -> None:
    outcome = failed(fetch(answer(b"busy", "503 Busy", headers=("Retry-After: 77",))))
    assert (outcome.again, outcome.retry_after) == (True, 77.0)


@pytest.mark.parametrize("kind", ["text/html", "TEXT/HTML; charset=utf-8", "text/plain", "application/xhtml+xml", ""])
def test_wanted_types(kind: str) -> None:
    assert fetched(fetch(answer(kind=kind))).response.body == PAGE


@pytest.mark.parametrize("interim", [b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"])
def test_a_refused_type_ends_the_transfer_at_the_headers(interim: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 999999\r\n\r\n"
    outcome = fetch(raw(interim + head))
    assert isinstance(outcome, Refused), f"it waited for a body that nobody wants: {outcome}"
    assert (outcome.why, outcome.detail) == ("content-type", "application/pdf")


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "nonsense", "text/htmlx"])
def test_unwanted_types_are_not_read(kind: str) -> None:
    begin = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode()
    outcome = fetch(pouring(begin, b"x" * 1000))
    assert isinstance(outcome, Refused)
    assert (outcome.why, outcome.detail) == ("content-type", kind)
    assert outcome.response is not None
    assert (outcome.response.status, outcome.response.header("content-type")) == (200, kind)
    assert (outcome.response.body, outcome.response.truncated) == (b"", True)


@pytest.mark.parametrize("kind", ["application/gzip", "application/xml", "application/octet-stream", ""])
def test_sitemaps_are_read_whatever_they_are_called(kind: str) -> None:
    packed = gzip.compress(b"<urlset/>" + bytes(600_000))
    assert fetched(fetch(answer(packed, kind=kind), rel=SITEMAP)).response.body == packed


def test_a_sitemap_has_its_own_ceiling() -> None:
    begin = b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n"
    outcome = fetched(fetch(pouring(begin, b"x" * 1000), rel=SITEMAP, largest_sitemap="300KiB"))
    assert outcome.response.truncated
    assert len(outcome.response.body) == 300 * 1024


def test_undeclared_binary_is_refused() -> None:
    outcome = fetch(answer(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", kind=""))
    assert isinstance(outcome, Refused)
    assert outcome.why == "content-type"


@pytest.mark.parametrize("status", ["200 OK", "204 No Content"])
def test_nothing_is_no_page(status: str) -> None:
    assert failed(fetch(answer(b"", status))).why == "empty"


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def encoded(body: bytes, *applied: str) -> Misbehaviour:
    for name in applied:
        body = PACK[name](body)
    return answer(body, headers=(f"Content-Encoding: {', '.join(applied)}",))


@pytest.mark.parametrize("applied", [(name,) for name in PACK] + [("gzip", "br"), ("zstd", "deflate")])
def test_encodings_are_undone_and_the_wire_is_kept(applied: tuple[str, ...]) -> None:
    response = fetched(fetch(encoded(PAGE * 50, *applied))).response
    assert response.body == PAGE * 50
    packed = PAGE * 50
    for name in applied:
        packed = PACK[name](packed)
    assert len(response.raw) == len(packed)


def test_deflate_without_its_wrapping_is_understood() -> None:
    packer = zlib.compressobj(wbits=-15)
    body = packer.compress(PAGE) + packer.flush()
    assert fetched(fetch(answer(body, headers=("Content-Encoding: deflate",)))).response.body == PAGE


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_bombs_do_not_go_off(name: str) -> None:
    bomb = encoded(bytes(20_000_000), name)
    tracemalloc.start()
    outcome = failed(fetch(bomb))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outcome.why == "bomb"
    assert outcome.response is not None
    assert outcome.response.body == b""
    assert peak < 10_000_000


def test_nested_bombs_do_not_go_off() -> None:
    assert failed(fetch(encoded(bytes(20_000_000), "gzip", "gzip"))).why == "bomb"


@pytest.mark.parametrize(
    "encodings",
    [", ".join(["gzip"] * 50), "gzip, gzip, gzip", "compress", "x" * 500],
    ids=["fifty", "three", "old", "long"],
)
def test_encodings_we_did_not_ask_for(encodings: str) -> None:
    assert failed(fetch(answer(gzip.compress(PAGE), headers=(f"Content-Encoding: {encodings}",)))).why == "bad-encoding"


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_bodies_that_are_not_what_they_say(name: str) -> None:
    assert failed(fetch(answer(PAGE * 10, headers=(f"Content-Encoding: {name}",)))).why == "bad-encoding"


def test_a_packed_body_that_breaks_off_gives_its_beginning() -> None:
    body = gzip.compress(bytes(range(256)) * 100)
    response = fetched(fetch(answer(body[:-8], headers=("Content-Encoding: gzip",)))).response
    assert response.truncated
    assert (bytes(range(256)) * 100).startswith(response.body)


def test_a_hundred_thousand_gzip_members_do_not_take_for_ever() -> None:
    body = gzip.compress(b"") * 10_000
    started = time.process_time()
    assert failed(fetch(answer(body, headers=("Content-Encoding: gzip",)))).why == "bad-encoding"
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("misbehave", "why", "again"),
    [
        (dripping(b"HTTP/1.1 200 OK\r\nX: ", b"x"), "timeout", True),
        (dripping(OK + b"\r\n", b"x"), "timeout", True),
        (dripping(OK + b"Content-Length: 1000000\r\n\r\n", b"x"), "timeout", True),
        (silence, "timeout", True),
        (dripping(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.02), "timeout", True),
    ],
    ids=["slow headers", "dripping body", "dripping body with length", "silence", "slow interim answers"],
)
def test_slow_servers_meet_a_deadline(misbehave: Misbehaviour, why: str, again: bool) -> None:
    started = time.monotonic()
    outcome = failed(fetch(misbehave))
    assert (outcome.why, outcome.again) == (why, again)
    assert time.monotonic() - started < 1.5


def test_endless_bodies_end_at_the_ceiling() -> None:
    for begin in (OK + b"\r\n", OK + b"Content-Length: 99999999999\r\n\r\n"):
        response = fetched(fetch(pouring(begin, b"words " * 1000), total_within="5s")).response
        assert (len(response.body), response.truncated) == (256 * 1024, True)


def test_endless_packed_bodies_are_too_large() -> None:
    body = pouring(OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(PAGE)[:30], b"\xaa" * 5000)
    assert failed(fetch(body, total_within="5s")).why == "too-large"


def test_endless_tiny_chunks_end_at_the_ceiling() -> None:
    outcome = fetched(fetch(pouring(CHUNKED, b"1\r\nx\r\n" * 10_000), total_within="8s", largest_transfer="64KiB"))
    assert (len(outcome.response.body), outcome.response.truncated) == (64 * 1024, True)


@pytest.mark.parametrize("number", [1, 63, 64, 65, 300])
def test_a_body_in_tiny_chunks_comes_whole(number: int) -> None:
    sent = bytes(ord("a") + place % 26 for place in range(number))
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in sent)
    assert fetched(fetch(raw(CHUNKED + chunks + b"0\r\n\r\n", close=True))).response.body == sent


@pytest.mark.parametrize(
    ("misbehave", "why"),
    [
        (raw(OK + b"Content-Length: 1000\r\n\r\nshort", close=True), "cut-short"),
        (raw(CHUNKED + b"5\r\nhel", close=True), "cut-short"),
        (raw(CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n", close=True), "protocol"),
        (raw(CHUNKED + b"fffffffffffffffff\r\nhello\r\n0\r\n\r\n", close=True), "protocol"),
        (raw(CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n", close=True), "protocol"),
        (raw(OK + b"Content-Length: -5\r\n\r\nhello", close=True), "protocol"),
        (raw(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", close=True), "protocol"),
        (reset(OK + b"Content-Length: 1000\r\n\r\nshort"), "reset"),
        (reset(b""), "reset"),
        (raw(b"", close=True), "reset"),
        (raw(b"HTTP/1.1 200", close=True), "reset"),
        (raw(b"<html>nothing but a body</html>", close=True), "protocol"),
        (raw(b"\x00\xff\xfe" * 100, close=True), "protocol"),
        (raw(b"HTTP/1.1 2x0 OK\r\n\r\n", close=True), "protocol"),
        (raw(b"HTTP/9.9 200 OK\r\n\r\n", close=True), "protocol"),
        (raw(OK + b"No colon here\r\n\r\n" + PAGE, close=True), "protocol"),
        (raw(OK + b"X-Nul: a\x00b\r\n\r\n" + PAGE, close=True), "protocol"),
        (raw(OK + b"X: y\r\n" * 100_000 + b"\r\n" + PAGE, close=True), "headers-too-large"),
        (raw(OK + b"X: y\r\n" * 2_000 + b"\r\n" + PAGE, close=True), "headers-too-large"),
        (raw(OK + b"X: " + b"y" * 20_000 + b"\r\n\r\n" + PAGE, close=True), "headers-too-large"),
        (pouring(OK, b"X-Header: " + b"y" * 1000 + b"\r\n"), "headers-too-large"),
        (pouring(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 10_000), "headers-too-large"),
        (pouring(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), "headers-too-large"),
        (pouring(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "headers-too-large"),
    ],
)  # fmt: skip
def test_broken_answers_fail_under_a_name(misbehave: Misbehaviour, why: str) -> None:
    assert failed(fetch(misbehave, total_within="5s", first_byte_within="5s")).why == why


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 5\n\nhello", b"hello"),
        (OK + b"Content-Length: 5\r\n\r\nhello and more than was said", b"hello"),
        (OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", b"hello"),
        (CHUNKED + b"5;extension=1\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", b"hello"),
        (OK + "X-Name: caf\u00e9 \u00ff\r\n\r\nhello".encode("latin-1"), b"hello"),
        (OK + b"X-Folded: one\r\n two\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" + OK + b"\r\nhello", b"hello"),
        (b"HTTP/1.0 200\r\nContent-Type: text/html\r\n\r\nhello", b"hello"),
    ],
)
def test_odd_answers_are_still_read(sent: bytes, body: bytes) -> None:
    response = fetched(fetch(raw(sent, close=True))).response
    assert (response.status, response.body) == (200, body)


def test_a_second_unasked_response_is_not_taken_for_the_next_one() -> None:
    count = 0

    async def twice(request: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        await answer(path_of(request).encode())(request, writer)
        await answer(b"forged")(request, writer)

    async def scene() -> list[bytes]:
        async with visiting(twice) as (visitor, site):
            await visitor.open(site, time.time())
            return [fetched(await visitor.fetch(Link(f"{site}/{number}"))).response.body for number in range(4)]

    assert asyncio.run(scene()) == [b"/0", b"/1", b"/2", b"/3"]
    assert count == 4


def test_nobody_listens() -> None:
    async def scene() -> Failed:
        async with serving(silence) as port:
            pass
        visitor = fetcher(port)
        try:
            assert isinstance(await visitor.open(f"http://a.localhost:{port}", time.time()), SiteOpened)
            return failed(await visitor.fetch(Link(f"http://a.localhost:{port}/")))
        finally:
            await visitor.close()

    outcome = asyncio.run(scene())
    assert (outcome.why, outcome.again) == ("connect-failed", True)


@pytest.mark.parametrize("settings", [{"user_agent": "a\r\nX: y"}, {"contact": "é"}, {"allow_addresses": ["x"]}])
def test_wrong_settings_are_refused_at_the_door(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        fetcher(**settings)  # type: ignore[arg-type]


def test_a_url_that_is_none_is_an_outcome_too() -> None:
    assert failed(asyncio.run(fetcher().fetch(Link("nonsense")))).why == "bad-url"
    assert failed(asyncio.run(fetcher().fetch(Link("ftp://a.example/x")))).why == "site-not-open"


def test_a_fetcher_takes_up_other_settings_while_it_runs() -> None:
    async def scene() -> None:
        pdf = answer(kind="application/pdf")
        async with serving(pdf) as port, contextlib.aclosing(_Closing(fetcher())) as closing:
            site, visitor = f"http://a.localhost:{port}", closing.fetcher
            assert isinstance(visitor, HttpFetcher)
            shut = await visitor.open(site, time.time())
            assert isinstance(shut, SiteShut)
            assert shut.why == "address-refused"
            allowed = {"allow_addresses": [f"127.0.0.1:{port}"], **QUICK}
            visitor.adjust(build({"fetching": allowed, "politeness": {"robots": False}}))
            assert isinstance(await visitor.open(site, time.time()), SiteOpened)
            refused = await visitor.fetch(Link(f"{site}/x"))
            assert isinstance(refused, Refused)
            visitor.adjust(
                build({"fetching": {**allowed, "types": ["application/pdf"]}, "politeness": {"robots": False}})
            )
            fetched(await visitor.fetch(Link(f"{site}/x")))

    asyncio.run(asyncio.wait_for(scene(), 10))


class _Closing:
    def __init__(self, fetcher: Fetcher) -> None:
        self.fetcher = fetcher

    async def aclose(self) -> None:
        await self.fetcher.close()

"""What strangers send becomes an event within its caps, or a refusal with a name; never anything else."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from own_collector import BEGUN, KEY, PAGE, SITE, an_event

from lycosa.click_records import DAY, ClickEvent
from lycosa.clickstream.collector.events import (
    LONGEST_URL,
    MOST_CHARACTERS,
    MOST_DOWNLOADS,
    MOST_OF_AN_ACTION,
    OLDEST,
    Refusal,
    SentEvent,
    event_of,
    is_timely,
    longest_view,
    may_send,
    page_of,
    sent_events,
)

VISITOR = (19_675, bytes(range(16)))


def sent(event: dict[str, Any]) -> SentEvent:
    found = sent_events(json.dumps(event).encode())
    assert not isinstance(found, Refusal)
    return found[0]


def counted(longest: float = 60.0, **changes: Any) -> ClickEvent:
    return event_of(sent(an_event(**changes)), (SITE.name, PAGE), VISITOR, longest, BEGUN)


def test_an_event_keeps_what_was_sent() -> None:
    event = counted(r="https://search.example/found?q=spiders#3")
    assert (event.site, event.url, event.at, event.number) == (SITE.name, PAGE, BEGUN, 0)
    assert (event.day, event.visitor, event.view) == (*VISITOR, bytes.fromhex("00000000000000aa"))
    assert (event.active, event.dwell, event.length, event.ascii_sum, event.downloads) == (1500, 2000, 120, 11_000, 1)
    assert event.actions == {1: 3, 13: 1}
    assert event.referrer == "https://search.example/found", "a query may hold what is nobody's business"


def test_what_is_unchanged_may_be_left_out() -> None:
    event = counted(n=3, r=None, a=None, d=None, l=None, s=None, o=None, e=None)
    assert (event.active, event.dwell, event.length, event.ascii_sum, event.downloads) == (0, 0, 0, 0, 0)
    assert (event.actions, event.referrer) == ({}, "")


def test_every_number_has_a_cap() -> None:
    event = counted(10.0, a=1e300, d=9e99, l=10**30, s=10**40, o=10**9, e={"1": 10**25, "2": 0}, t=(BEGUN + 60) * 1000)
    assert (event.dwell, event.active) == (10_000, 10_000)
    assert (event.length, event.downloads) == (MOST_CHARACTERS, MOST_DOWNLOADS)
    assert event.ascii_sum <= MOST_CHARACTERS * 0x10FFFF
    assert event.actions == {1: MOST_OF_AN_ACTION}
    assert event.at == BEGUN, "nothing happens after it was told"
    assert counted(a=5000, d=2000).active == 2000, "active time is visible time"
    assert longest_view(SITE, BEGUN) == DAY
    assert longest_view(msgspec.structs.replace(SITE, created=BEGUN - 60), BEGUN) == 60


MALFORMED = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"x" * 16_000,
    b"\xff\xfe{}",
    b"\xef\xbb\xbf" + json.dumps(an_event()).encode(),
    json.dumps(an_event()).encode("utf-16"),
    json.dumps(an_event()).encode()[:-1],
    json.dumps(an_event()).encode() + b"{}",
    json.dumps([an_event()] * 21).encode(),
    json.dumps([[an_event()]]).encode(),
    json.dumps([an_event(), an_event(k="another")]).encode(),
    b"[" * 16_000,
    b'{"v":1,"u":' * 1_400,
    *(
        json.dumps(an_event(**changes)).encode()
        for changes in (
            {"v": 2}, {"v": "1"}, {"v": True}, {"k": None}, {"k": ""}, {"k": 1}, {"k": "x" * 200}, {"i": "00aa"},
            {"i": "00000000000000AA"}, {"i": "00000000000000aa\n"}, {"n": -1}, {"n": 1.5}, {"n": 100_000},
            {"n": 10**40}, {"u": None}, {"u": 3}, {"t": -1}, {"t": "now"}, {"t": None}, {"a": -1}, {"d": "1"},
            {"l": -5}, {"l": 1.5}, {"e": {"0": 1}}, {"e": {"16": 1}}, {"e": {"1": -1}}, {"e": {"1": 1.5}},
            {"e": {"scroll": 1}}, {"e": [1]}, {"x": 1}, {"a": float("nan")}, {"t": float("inf")},
        )
    ),
    json.dumps(an_event(t=1)).encode().replace(b'"t": 1,', b'"t": 1e999,'),
    json.dumps(an_event(t=1)).encode().replace(b'"t": 1,', b'"t": ' + b"9" * 9_000 + b","),
    json.dumps(an_event(u="x")).encode().replace(b'"x"', b'"\\ud800"'),
    json.dumps(an_event(u="x")).encode().replace(b'"x"', b'"\xc3\x28"'),
]  # fmt: skip


@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: repr(body[:60]))
def test_what_is_no_event_is_malformed(body: bytes) -> None:
    assert sent_events(body) == Refusal.MALFORMED


@pytest.mark.parametrize("again", [b'"k":"a-key-of-the-site",', b'"\\u006b" : "other",', b'"n"\n:0,'])
def test_a_name_that_comes_twice_is_malformed(again: bytes) -> None:
    body = json.dumps(an_event(), separators=(",", ":")).encode()
    assert not isinstance(sent_events(body), Refusal)
    assert sent_events(b"{" + again + body[1:]) == Refusal.MALFORMED
    assert sent_events(body.replace(b'"e":{', b'"e":{"\\u0031":4,')) == Refusal.MALFORMED


def _noticed(body: bytes) -> bool:
    """Whether an object of a body has the same name twice, by the standard library."""
    twice = False

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        twice = twice or len({name for name, _ in pairs}) < len(pairs)
        return dict(pairs)

    json.loads(body, object_pairs_hook=look)
    return twice


FIELDS = st.fixed_dictionaries(
    {
        "v": st.just(1),
        "k": st.just(KEY),
        "i": st.just("0123456789abcdef"),
        "n": st.integers(0, 99),
        "t": st.floats(0, 1e13),
    }
    | {"u": st.text(max_size=30) | st.just(PAGE)},
    optional={
        "r": st.text(max_size=30),
        "a": st.floats(0, 1e300, allow_nan=False) | st.integers(0, 10**30),
        "d": st.integers(0, 10**30),
        "l": st.integers(0, 10**30),
        "s": st.integers(0, 10**30),
        "o": st.integers(0, 10**30),
        "e": st.dictionaries(st.sampled_from([str(action) for action in range(1, 16)]), st.integers(0, 10**20)),
    },
)


@given(st.lists(FIELDS, min_size=1, max_size=20), st.sampled_from([None, 1]), st.booleans(), st.floats(0, 1e6))
def test_whatever_has_the_form_becomes_an_event_within_its_caps(
    fields: list[dict[str, Any]], indent: int | None, plain: bool, longest: float
) -> None:
    found = sent_events(json.dumps(fields, indent=indent, ensure_ascii=plain, separators=(",", " : ")).encode("utf-8"))
    if found is Refusal.MALFORMED:
        assert any(field.get(name, "").startswith((":", " ")) for field in fields for name in ("u", "r"))
        return
    assert not isinstance(found, Refusal)
    for each in found:
        event = event_of(each, (SITE.name, PAGE), VISITOR, longest, BEGUN)
        assert 0 <= event.active <= event.dwell <= 1000 * longest
        assert 0 <= event.length <= MOST_CHARACTERS
        assert 0 <= event.downloads <= MOST_DOWNLOADS
        assert all(1 <= action <= 15 and 1 <= times <= MOST_OF_AN_ACTION for action, times in event.actions.items())
        assert event.at <= BEGUN
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=ClickEvent) == event


@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(b'{"v":1,"k":"\\udc00"}')
def test_garbage_is_malformed_and_nothing_worse(body: bytes) -> None:
    assert sent_events(body) == Refusal.MALFORMED


@given(FIELDS, st.data())
def test_no_name_that_comes_twice_gets_through(fields: dict[str, Any], data: st.DataObject) -> None:
    body = json.dumps(fields).encode()
    name = data.draw(st.sampled_from(sorted(fields)))
    blank = data.draw(st.sampled_from(["", " ", "\n", "\t "]))
    spelled = data.draw(st.sampled_from([f'"{name}"', f'"\\u{ord(name):04x}"']))
    doubled = b"{" + f"{spelled}{blank}:{json.dumps(fields[name])},".encode() + body[1:]
    assert _noticed(doubled)
    assert sent_events(doubled) == Refusal.MALFORMED


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://example.org/burrow", "https://example.org/burrow"),
        ("http://Example.ORG:80/a/../b?utm_source=x&p=1#top", "http://example.org/b?p=1"),
        ("https://www.example.org/", "https://www.example.org/"),
        ("https://a.b.example.org:8443/", "https://a.b.example.org:8443/"),
        ("https://user:secret@example.org/", "https://example.org/"),
        ("https://partner.example/page", "https://partner.example/page"),
        ("http://partner.example/page", Refusal.FOREIGN_SITE),
        ("https://badexample.org/", Refusal.FOREIGN_SITE),
        ("https://example.org.evil.example/", Refusal.FOREIGN_SITE),
        ("https://example.org@evil.example/", Refusal.FOREIGN_SITE),
        ("https://evil.example/?https://example.org/", Refusal.FOREIGN_SITE),
        ("javascript:alert(document.domain)//example.org", Refusal.BAD_URL),
        ("data:text/html,<b>", Refusal.BAD_URL),
        ("file:///etc/passwd", Refusal.BAD_URL),
        ("//example.org/", Refusal.BAD_URL),
        ("", Refusal.BAD_URL),
        ("https://", Refusal.BAD_URL),
        ("https://example.org/" + "x" * LONGEST_URL, Refusal.BAD_URL),
        ("https://example.org/" + "ä" * (LONGEST_URL // 4), Refusal.BAD_URL),
    ],
)
def test_a_page_must_be_one_of_the_site(url: str, found: str | Refusal) -> None:
    assert page_of(SITE, url) == found


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("https://example.org", True),
        ("http://www.example.org:8080", True),
        ("https://partner.example", True),
        ("https://evil.example", False),
        ("https://example.org.evil.example", False),
        ("https://example.org/path", False),
        ("null", False),
        ("file://", False),
        ("*", False),
        ("", False),
    ],
)
def test_an_origin_must_be_one_of_the_site(origin: str, allowed: bool) -> None:
    assert may_send(SITE, origin) is allowed


def test_pages_that_hide_their_address_need_null_among_the_origins() -> None:
    assert may_send(msgspec.structs.replace(SITE, origins=("null",)), "null")


def test_times_are_near_now() -> None:
    assert is_timely(BEGUN, BEGUN, 300)
    assert is_timely(BEGUN + 300, BEGUN, 300)
    assert not is_timely(BEGUN + 301, BEGUN, 300)
    assert is_timely(BEGUN - OLDEST, BEGUN, 300)
    assert not is_timely(BEGUN - OLDEST - 1, BEGUN, 300)


@pytest.mark.parametrize(
    "referrer", ["javascript:alert(1)", "android-app://com.example/", "x" * 9_000, "https://[", "::"]
)
def test_an_odd_referrer_is_left_out(referrer: str) -> None:
    assert counted(r=referrer if not referrer.startswith(":") else "").referrer == ""

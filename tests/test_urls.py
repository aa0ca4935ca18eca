"""One spelling per resource: WHATWG parsing and M1's exact steps."""

from __future__ import annotations

import json
import os
from pathlib import Path

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.urls import LONGEST, domain_of, fingerprint, host_of, normalise, path_of, resolve, site_of

M1 = [
    ("HTTP://Example.COM/", "http://example.com/"),
    ("http://example.com:80/x", "http://example.com/x"),
    ("https://example.com:443/x", "https://example.com/x"),
    ("http://example.com:8080/x", "http://example.com:8080/x"),
    ("http://example.com:12345/x", "http://example.com:12345/x"),
    ("http://example.com", "http://example.com/"),
    ("http://example.com/%7Euser/%41%2d", "http://example.com/~user/A-"),
    ("http://example.com/a%2fb%c3%a9", "http://example.com/a%2Fb%C3%A9"),
    ("http://example.com/a/./b/../c", "http://example.com/a/c"),
    ("http://example.com/a/%2e%2e/c", "http://example.com/c"),
    ("http://example.com/x#part", "http://example.com/x"),
    ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ("http://ｅｘａｍｐｌｅ.com/", "http://example.com/"),
    ("http://example.com/?utm_source=a&b=1&gclid=2", "http://example.com/?b=1"),
    ("http://example.com/?utm_source=a", "http://example.com/"),
    ("http://example.com/?b=1&a=2", "http://example.com/?b=1&a=2"),
    ("http://user:secret@example.com/", "http://example.com/"),
    ("http://127.1/", "http://127.0.0.1/"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://example.com/%%34%31", "http://example.com/A"),
    (" http://example.com/a b\n", "http://example.com/a%20b"),
]


@pytest.mark.parametrize(("url", "normal"), M1)
def test_normal_form(url: str, normal: str) -> None:
    assert normalise(url) == normal


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://a/", "http://", "nonsense", "//a/b"]
)
def test_what_is_no_web_address_has_no_normal_form(url: str) -> None:
    assert normalise(url) is None


def test_tracking_parameters_stay_where_that_is_asked_for() -> None:
    assert normalise("http://a.org/?utm_source=a", drop_tracking=False) == "http://a.org/?utm_source=a"


def test_endless_urls_are_refused() -> None:
    assert normalise("http://a.org/" + "x" * LONGEST) is None
    assert resolve("http://a.org/", ["/" + "x" * 1_000_000]) == [None]
    assert resolve("http://a.org/" + "x" * (LONGEST - 100) + "/page", ["y" * 200]) == [None]


def test_links_of_a_page() -> None:
    hrefs = [
        "c.html#top",
        "/d?e=1",
        "?q=2",
        "//b.org/x",
        "../z",
        "https://c.org/y",
        "mailto:a@b.c",
        "#here",
        "JavaScript:x",
    ]
    assert resolve("http://a.org/dir/page?x=/y", hrefs) == [
        "http://a.org/dir/c.html",
        "http://a.org/d?e=1",
        "http://a.org/dir/page?q=2",
        "http://b.org/x",
        "http://a.org/z",
        "https://c.org/y",
        None,
        "http://a.org/dir/page?x=/y",
        None,
    ]


addresses = st.builds(
    lambda scheme, host, port, path, query: f"{scheme}://{host}{port}{path}{query}",
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(
        ["a.org", "A.b.Example", "127.0.0.1", "xn--bcher-kva.de", "a_b.org", "1.2", "0x10", "[::1]", "é.fr"]
    ),
    st.sampled_from(["", ":80", ":443", ":8080", ":65535", ":0"]),
    st.text("abC/.%2eE~_-é ;:\\", max_size=30).map(lambda path: "/" + path),
    st.one_of(st.just(""), st.text("ab=&%2fé'utm_x", max_size=20).map(lambda query: "?" + query)),
)


@given(addresses)
def test_normalising_twice_changes_nothing(url: str) -> None:
    once = normalise(url)
    assert once is None or normalise(once) == once


@given(addresses)
def test_the_quick_way_agrees_with_the_standard(url: str) -> None:
    """Whatever the fast path lets through is what the standard's parser would have said."""
    normal = normalise(url, drop_tracking=False)
    if normal is not None:
        assert ada_url.URL(normal).href == normal


@pytest.mark.parametrize(
    ("href", "codec", "url"),
    [
        ("/s?q=паук&n=1#часть", "cp1251", "http://a.org/s?q=%EF%E0%F3%EA&n=1"),
        ("/паук?q=паук", "cp1251", "http://a.org/%D0%BF%D0%B0%D1%83%D0%BA?q=%EF%E0%F3%EA"),
        ("?q=café ж", "cp1252", "http://a.org/b?q=caf%E9%20%26%231078%3B"),
        ("?q=表示", "cp932", "http://a.org/b?q=%95\\%8E%A6"),
        ("?q=паук", "", "http://a.org/b?q=%D0%BF%D0%B0%D1%83%D0%BA"),
        ("?q=plain&amp=1", "cp1251", "http://a.org/b?q=plain&amp=1"),
    ],
)
def test_a_query_is_written_in_the_charset_of_its_page(href: str, codec: str, url: str) -> None:
    assert resolve("http://a.org/b", [href], codec=codec) == [url]
    assert normalise(url) == url


@given(st.text(max_size=40), st.sampled_from(["cp1251", "cp932", "gb18030", "iso2022_jp", "big5hkscs"]))
def test_any_query_can_be_written_in_any_charset(query: str, codec: str) -> None:
    (found,) = resolve("http://a.org/b", ["?" + query], codec=codec)
    assert found is None or (found.isascii() and normalise(found) == found)


@given(st.text("abC/.%2eE~_-#?&=:é", max_size=30))
def test_resolving_agrees_with_the_standard(href: str) -> None:
    (found,) = resolve("http://a.org/b/c?d", [href])
    try:
        joined = ada_url.join_url("http://a.org/b/c?d", href)
    except ValueError:
        assert found is None
    else:
        assert found == normalise(joined)


def test_parts() -> None:
    url = "https://www.example.co.uk:8443/a/b?c"
    assert site_of(url) == "https://www.example.co.uk:8443"
    assert path_of(url) == "/a/b?c"
    assert host_of(site_of(url)) == "www.example.co.uk"
    assert host_of("http://[::1]:80") == "[::1]"
    assert host_of("http://[::1]") == "[::1]"


@pytest.mark.parametrize(
    ("site", "domain"),
    [
        ("http://www.example.co.uk", "example.co.uk"),
        ("http://a.github.io", "a.github.io"),
        ("http://127.0.0.1:80", "127.0.0.1"),
        ("http://[::1]:80", "[::1]"),
        ("http://birds-1.localhost:80", "birds-1.localhost"),
        ("http://co.uk", "co.uk"),
    ],
)
def test_registrable_domains(site: str, domain: str) -> None:
    assert domain_of(site) == domain


def test_fingerprints_tell_urls_apart() -> None:
    assert len({fingerprint(f"http://a.org/{number}") for number in range(10_000)}) == 10_000


def test_whatwg_test_data() -> None:
    """Where the data is there: every http(s) URL of the standard's own tests parses to the standard's result."""
    data = Path(os.environ.get("LYCOSA_DATA", "~/.cache/lycosa-data")).expanduser() / "conformance" / "url"
    found = sorted(data.rglob("urltestdata.json"))
    if not found:
        pytest.skip(f"no WHATWG test data at {data}; `make data` unpacks it where it is shared")
    cases = [case for case in json.loads(found[0].read_text("utf-8")) if isinstance(case, dict)]
    checked = 0
    for case in cases:
        if case.get("failure") or case.get("protocol") not in ("http:", "https:") or case.get("base"):
            continue
        expected = normalise(case["href"])
        assert normalise(case["input"]) == expected, case
        checked += 1
    assert checked > 100

"""Patterns mean what people write, however they spell it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.url_patterns import matcher, meant_for_paths, normal_pattern, odd_pattern
from lycosa.urls import normalise


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("s2.localhost/slow*", "http://s2.localhost:18399/slow/1"),
        ("s2.localhost:18399/slow*", "http://s2.localhost:18399/slow/1"),
        ("s2.localhost", "http://deep.s2.localhost:18399/slow/1"),
        ("s2.localhost:18399", "http://s2.localhost:18399/"),
        ("S.TEST", "http://www.s.test/x"),
        ("S.Test/Private/*", "http://s.test/Private/x"),
        ("HTTPS://a.org:443/x*", "https://a.org/x1"),
        ("http://a.org:80/x", "http://a.org/x"),
        ("a.org:80", "http://a.org/x"),
        ("a.org:443", "https://a.org/x"),
        ("a.org:443", "http://a.org:443/x"),
        ("a.org:*", "http://a.org:99/x"),
        ("https://a.org/x", "http://a.org/x"),
        ("*://a.org/x", "http://a.org/x"),
        ("münchen.de", "http://MÜNCHEN.de/x"),
        ("*.münchen.de/x", "http://www.münchen.de/x"),
        ("a.org/grün*", "http://a.org/gr%c3%bcner"),
        ("a.org/two words/*", "http://a.org/two words/x"),
        ("a.org/%7euser/*", "http://a.org/~user/x"),
        ("a.org/{x}?q={y}", "http://a.org/{x}?q={y}"),
        ("a.org/?u=http://b.org/*", "http://a.org/?u=http://b.org/x"),
        ("*/private/*", "http://a.org:81/x/private/y"),
        ("*/*.pdf", "http://a.org/x/y.pdf"),
        ("*.org", "http://www.a.org/x"),
        ("example.*", "http://www.example.com:90/x"),
        ("[::1]", "http://[::1]:8080/x"),
        ("[::0:1]:8080/x", "http://[::1]:8080/x"),
        ("127.1", "http://127.0.0.1/x"),
        ("a.org/[!x]?[0-9]", "http://a.org/yz7"),
    ],
)
def test_a_pattern_matches_however_it_is_spelled(pattern: str, url: str) -> None:
    assert not odd_pattern(pattern)
    assert matcher(pattern)(str(normalise(url)))


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("s.test:8080", "http://s.test/x"),
        ("s.test:8080/x", "http://s.test:8081/x"),
        ("a.org:80", "https://a.org/x"),
        ("a.org:80/x", "http://a.org:8080/x"),
        ("a.org", "http://ba.org/x"),
        ("*.org", "http://a.com/x.org/"),
        ("a.org/x", "http://a.org/xy"),
        ("a.org/x", "http://b.org/a.org/x"),
        ("a.org/Private/*", "http://a.org/private/x"),
    ],
)
def test_and_nothing_else(pattern: str, url: str) -> None:
    assert not odd_pattern(pattern)
    assert not matcher(pattern)(str(normalise(url)))


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("/private/*", "begin with * for any host"),
        ("ftp://a.org/x", "only http and https"),
        ("a.org:http/x", "'http' is no port"),
        ("a.org:70000", "is no port"),
        ("me@a.org/x", "is no host"),
        ("two words.org", "is no host"),
        ("mün*.de", "use * for a whole part"),
        ("a.org/x#part", "what follows #"),
        ("a.org/x/../y", "no . and .."),
        ("a.org/[z-a]", "cannot be read"),
    ],
)
def test_what_no_url_could_match_is_refused_and_matches_nothing(pattern: str, why: str) -> None:
    assert why in odd_pattern(pattern)
    assert not matcher(pattern)("http://a.org/x")


@pytest.mark.parametrize(
    ("pattern", "instead"),
    [
        ("*.pdf", "*/*.pdf"),
        ("*.PDF", "*/*.PDF"),
        ("*.jpg*", "*/*.jpg*"),
        ("report.pdf", "*/*report.pdf"),
        ("*.html", "*/*.html"),
        ("*sort=*", "*/*sort=*"),
        ("*.zip", "*/*.zip"),
    ],
)
def test_a_pattern_of_hosts_that_is_meant_for_paths_is_refused_with_one_that_works(pattern: str, instead: str) -> None:
    assert f"write {instead!r}" in meant_for_paths(pattern)
    assert not odd_pattern(instead)
    assert not meant_for_paths(instead)
    url = instead.replace("*/*", "http://a.org/dir/x").replace("*", "1")
    assert matcher(instead)(str(normalise(url)))


@pytest.mark.parametrize("pattern", ["*.org", "example.*", "my.zip", "*/*.pdf", "a.org/*.pdf", "pdf.example", "[::1]"])
def test_patterns_of_hosts_are_left_alone(pattern: str) -> None:
    assert not meant_for_paths(pattern)


@given(st.text("aZ.*?[]!:/%é {^|~-", max_size=30))
def test_normalising_twice_changes_nothing_and_any_text_can_be_asked(text: str) -> None:
    matcher(text)("http://a.org/x")
    if not odd_pattern(text):
        assert normal_pattern(normal_pattern(text)) == normal_pattern(text)


def test_no_pattern_takes_long() -> None:
    began = time.perf_counter()
    assert not matcher("*a*a*a*a*a*a*a*a*/*a*a*a*a*a*b")("http://" + "a/" * 1000)
    assert time.perf_counter() - began < 1

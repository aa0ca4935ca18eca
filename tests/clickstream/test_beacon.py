"""What can be said of the beacon without a browser: its size, what it does without, and the lines to paste."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.click_records import Action
from lycosa.clickstream.beacon.script import beacon_script, snippet
from lycosa.configuration.settings import ConfigurationError

SCRIPT = beacon_script().decode()
ONLY_IN_THE_READER = {Action.STOP, Action.HOME}


class Tags(HTMLParser):
    """The tags of some HTML with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, dict[str, str | None]] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag."""
        self.found[tag] = dict(attrs)


@pytest.mark.parametrize("level", [6, 9])
def test_it_is_under_two_kilobytes(level: int) -> None:
    assert 1000 < len(gzip.compress(beacon_script(), level)) < 2048


def test_it_is_a_script_that_parses() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here; the tests in the browser run the script")
    done = subprocess.run([node, "--check", "-"], input=SCRIPT, text=True, capture_output=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "unwanted",
    [
        r"\beval\b", r"\bFunction\b", r"\binnerHTML\b", r"document\.write", r"createElement", r"\bimport\b", r"cookie",
        r"localStorage", r"sessionStorage", r"indexedDB", r"\bcaches\b", r"\bscreen\b", r"userAgent", r"\bcanvas\b",
        r"\bplugins\b", r"hardwareConcurrency", r"deviceMemory", r"timeZone", r"\blanguages?\b", r"innerWidth",
        r"\bunload\b", r"beforeunload", r"https?://",
    ],
)  # fmt: skip
def test_it_does_without(unwanted: str) -> None:
    """Nothing that a policy must allow, that stays in the browser, tells people apart or harms the page cache."""
    assert not re.search(unwanted, SCRIPT)


def test_it_sees_every_action_that_is_not_only_in_the_reader() -> None:
    numbers = {int(number) for number in re.findall(r"\b\d+\b", SCRIPT)}
    assert {int(action) for action in Action if action not in ONLY_IN_THE_READER} <= numbers


@pytest.mark.parametrize("address", ["https://clicks.example", "https://clicks.example/", "http://example.org/a/b/"])
def test_the_lines_to_paste(address: str) -> None:
    tags = Tags(snippet(address, "k1")).found
    base = address.rstrip("/")
    assert tags["script"] == {"async": None, "src": f"{base}/beacon.js", "data-key": "k1"}
    assert tags["img"]["src"] == f"{base}/pixel.gif?k=k1"
    assert tags["img"]["referrerpolicy"] == "no-referrer-when-downgrade"
    assert list(tags) == ["script", "noscript", "img"]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_key_comes_through_whole(key: str) -> None:
    tags = Tags(snippet("https://clicks.example", key)).found
    assert list(tags) == ["script", "noscript", "img"]
    assert tags["script"]["data-key"] == key
    assert parse_qs(urlsplit(tags["img"]["src"] or "").query)["k"] == [key]


@pytest.mark.parametrize("address", ["", "clicks.example", "ftp://x", "https://", "http://[x", "https://x/?a=1", "//x"])
def test_a_wrong_address_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(ConfigurationError, match="give one like https://"):
        snippet(address, "k")


def test_without_a_key_there_is_nothing_to_paste() -> None:
    with pytest.raises(ConfigurationError, match="sites list"):
        snippet("https://clicks.example", "")

"""Fetched documents for the tests of the page reader."""

from __future__ import annotations

from lycosa.records import Fetched, Link, Response

URL = "https://site.test/folder/page"
PROSE = (
    "The heron stands in shallow water and waits for the fish that come to it, and when one is near it strikes. "
    "It is a patient bird, and it has been known to stand for an hour before it moves to another part of the pond. "
)
"""More than enough text to be the content of a page."""


def fetched(body: str | bytes, *headers: tuple[str, str], url: str = URL, depth: int = 2) -> Fetched:
    """A document as a server sent it; HTML in UTF-8 unless the headers say otherwise."""
    raw = body.encode() if isinstance(body, str) else body
    names = {name.lower() for name, _ in headers}
    kind = () if "content-type" in names else (("Content-Type", "text/html; charset=utf-8"),)
    return Fetched(Link(url, depth=depth), Response(url, 200, (*kind, *headers), raw))

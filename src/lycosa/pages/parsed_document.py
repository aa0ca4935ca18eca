"""A parsed document and what is read from it: what it says of itself, then its links, then its main text.

Compiled code reads it where there was a compiler when Lycosa was installed; else Python does, with the same result.
"""

from __future__ import annotations

from typing import Protocol

from lycosa.pages.html.elements import Elements, Said
from lycosa.pages.html.links import FoundLinks, find_links
from lycosa.pages.html.main_text import main_text
from lycosa.records import Link, Links

try:
    from lycosa.pages.compiled.tree import CompiledTree
except ImportError:
    COMPILED = False
else:
    COMPILED = True


class Tree(Protocol):
    """A parsed document. Its text is read after its links, because that takes the frame out of it."""

    @property
    def said(self) -> Said:
        """What the document says of itself."""

    @property
    def structure(self) -> bytes:
        """The code of the document's skeleton, where it is wanted."""

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings, once the links were read."""

    @property
    def dropped(self) -> int:
        """How many links were too many."""

    def links(self, page: Link, base: str, title: str, most: int, drop_tracking: bool, codec: str = "") -> Links:
        """The links of the page, no more than so many; queries in its own charset where that is not UTF-8."""

    def main_text(self) -> str:
        """What the page says, without the frame around it."""


class PlainTree:
    """A document read by Python."""

    _found: FoundLinks

    def __init__(self, html: bytes, structure: bool = False) -> None:
        self._elements = Elements(html, structure)
        self.said, self.structure = self._elements.said(), self._elements.structure
        self.headings: tuple[str, ...] = ()
        self.dropped = 0

    def links(self, page: Link, base: str, title: str, most: int, drop_tracking: bool, codec: str = "") -> Links:
        """The links of the page, no more than so many; queries in its own charset where that is not UTF-8."""
        self._found = find_links(self._elements, page, base, title, most, drop_tracking=drop_tracking, codec=codec)
        self.headings, self.dropped = self._found.headings, self._found.dropped
        return self._found.links

    def main_text(self) -> str:
        """What the page says, without the frame around it."""
        return main_text(self._elements, self._found.framing, self._found.blocks)


def parsed(html: bytes, structure: bool = False) -> Tree:
    """A document, parsed and ready to be read."""
    return CompiledTree(html, structure) if COMPILED else PlainTree(html, structure)

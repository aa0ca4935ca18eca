"""Words marked in a page's text: those somebody searched for, and what they look for on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from lycosa.interface.views.reader.stored_page import reader_address
from lycosa.interface.views.reader.text import Block
from lycosa.search.query import understand
from lycosa.search.schema import index_terms

LONGEST_FIND = 100
MOST_WORDS_KNOWN = 20_000
_WORD = re.compile(r"[^\W_]+")
_ORDERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


class Marker:
    """Turns text into escaped text with marks. `found` counts what was looked for on the page."""

    def __init__(self, query: str = "", find: str = "") -> None:
        wanted = understand(query)
        self._terms = set(index_terms(" ".join((*wanted.words, *wanted.phrases))))
        self._find = re.compile(re.escape(find), re.IGNORECASE) if find else None
        self._known: dict[str, bool] = {}
        self.found = 0

    def marked(self, text: str) -> Markup:
        """A text with its marks; control characters and orders to change the direction of writing are left out."""
        text = _ORDERS.sub(" ", text)
        return Markup("").join(self._sought(text) if self._find else self._asked(text))

    def _sought(self, text: str) -> Iterator[Markup]:
        assert self._find is not None
        end = 0
        for match in self._find.finditer(text):
            yield from self._asked(text[end : match.start()])
            self.found += 1
            yield Markup('<mark class="sought" id="found-{}">{}</mark>').format(self.found, match[0])
            end = match.end()
        yield from self._asked(text[end:])

    def _asked(self, text: str) -> Iterator[Markup]:
        if not self._terms:
            yield escape(text)
            return
        end = 0
        for match in _WORD.finditer(text):
            if self._is_asked_for(match[0].lower()):
                yield escape(text[end : match.start()])
                yield Markup("<mark>{}</mark>").format(match[0])
                end = match.end()
        yield escape(text[end:])

    def _is_asked_for(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            known = not self._terms.isdisjoint(index_terms(word))
            if len(self._known) < MOST_WORDS_KNOWN:
                self._known[word] = known
        return known


def shown_blocks(blocks: list[Block], marker: Marker, crawl: str, query: str) -> list[dict[str, Any]]:
    """Blocks as the template takes them; neighbouring list items and table rows together."""
    shown = []
    for kind, together in groupby(blocks, lambda block: block.kind if block.kind in ("li", "tr") else id(block)):
        several = list(together)
        shown.append(
            {
                "kind": kind if isinstance(kind, str) else several[0].kind,
                "level": several[0].level,
                "texts": [_text(block, marker, crawl, query) for block in several],
            }
        )
    return shown


def _text(block: Block, marker: Marker, crawl: str, query: str) -> Markup:
    parts = []
    for run in block.runs:
        text = marker.marked(run.text)
        linked = run.href and text.striptags().strip()
        address = reader_address(crawl, run.href, q=query) if linked else ""
        parts.append(Markup('<a href="{}">{}</a>').format(address, text) if linked else text)
    return Markup("").join(parts)

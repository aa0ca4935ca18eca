"""The reading view: what a page says, as clean paragraphs with headings.

Search needs one run of words; people need paragraphs. So the content that the main text
is made of is walked once more, and each stretch of text goes to the block that it stands
in. Nothing of the page's markup is passed on: a block is text and addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from lycosa.inspection.page_versions import sentences
from lycosa.interface.views.reader.stored_page import StoredPage
from lycosa.pages.charset_labels import query_codec
from lycosa.pages.charsets import as_utf_8, decoded
from lycosa.pages.head import read_head
from lycosa.pages.hostile_markup import tamed
from lycosa.pages.html.elements import Elements, text_of
from lycosa.pages.html.links import find_links
from lycosa.pages.html.main_text import ENOUGH, NEXT_TO_NOTHING, main_text
from lycosa.records import Link
from lycosa.urls import resolve

MOST_SHOWN = 1_000_000
"""Characters of a page that can be read here; the rest can be saved."""
PART = 40_000
"""About so many characters are shown at once."""
MOST_BLOCKS_OF_PART = 800
MOST_LINKS = 5_000
LONGEST_PARAGRAPH = 20_000
PER_PARAGRAPH = 6
"""Sentences of a paragraph where a page has none."""

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ITEMS = frozenset(("li", "dd"))
_BLOCKS = frozenset(
    ("p", "div", "section", "article", "main", "body", "header", "footer", "figure", "figcaption", "address", "center",
     "details", "summary", "table", "caption", "ul", "ol", "dl", "dt", "form", "fieldset", "legend", "hgroup", "hr")
)  # fmt: skip


class Run(NamedTuple):
    """A stretch of text, and where it leads if it is a link."""

    text: str
    href: str = ""


@dataclass(slots=True)
class Block:
    """A heading (`level` above 0), paragraph, list item, quotation, table row or preformatted text."""

    kind: str
    runs: list[Run] = field(default_factory=list)
    level: int = 0

    @property
    def length(self) -> int:
        """Its characters."""
        return sum(len(run.text) for run in self.runs)


class _Spot(NamedTuple):
    """Where a node stands: its block, what kind that is, its table cell and its link."""

    block: int
    kind: str
    cell: int
    href: str


def blocks_of(stored: StoredPage) -> list[Block]:
    """What a page says, block by block."""
    if stored.kind == "text":
        text, _ = decoded(stored.response.body, stored.response.header("content-type"))
        return [Block("pre", [Run(part)]) for part in _pieces(text[:MOST_SHOWN].replace("\0", " "))]
    if stored.kind == "other":
        return []
    found = _html_blocks(stored)
    if sum(block.length for block in found) < NEXT_TO_NOTHING < len(stored.page.text):
        return _plain_blocks(stored.page.text[:MOST_SHOWN])
    return _levelled(found)


def _pieces(text: str) -> Iterator[str]:
    """A plain text by its empty lines; what has none is cut."""
    for part in text.replace("\r\n", "\n").split("\n\n"):
        for begin in range(0, len(part), LONGEST_PARAGRAPH):
            if part[begin : begin + LONGEST_PARAGRAPH].strip():
                yield part[begin : begin + LONGEST_PARAGRAPH].strip("\n")


def _plain_blocks(text: str) -> list[Block]:
    said = list(sentences(text))
    parts = (said[begin : begin + PER_PARAGRAPH] for begin in range(0, len(said), PER_PARAGRAPH))
    return [Block("p", [Run(" ".join(part))]) for part in parts]


def _html_blocks(stored: StoredPage) -> list[Block]:
    response = stored.response
    html, charset = as_utf_8(response.body, response.header("content-type"))
    elements, codec = Elements(tamed(html)[0]), query_codec(charset)
    head = read_head(elements.said(), stored.url, response, codec=codec)
    found = find_links(elements, Link(stored.url), head.base, head.title, MOST_LINKS)
    main_text(elements, found.framing, found.blocks)
    root = _content(elements)
    return [] if root is None else list(_walked(root, lambda href: resolve(head.base, [href], codec=codec)[0] or ""))


def _content(elements: Elements) -> LexborNode | None:
    """The element that the main text is taken from; the frame is out of it by now."""
    for node in elements.mains[:1] or (elements.articles if len(elements.articles) == 1 else []):
        if len(text_of(node)) >= ENOUGH:
            return node
    return elements.tree.body


def _walked(root: LexborNode, lead: Callable[[str], str]) -> Iterator[Block]:
    """The blocks below an element, in order. Parents come before children, so a node's spot follows from above."""
    spots: dict[int, _Spot] = {}
    top = _Spot(root.mem_id, "p", 0, "")
    current, place, shown = Block("p"), top, 0
    for node in root.traverse(include_text=True):
        parent = node.parent
        above = spots.get(parent.mem_id, top) if parent is not None and node.mem_id != root.mem_id else top
        if node.tag != "-text":
            spots[node.mem_id] = _spot(node, above, lead)
            continue
        if above.block != place.block or current.length > LONGEST_PARAGRAPH:
            if _said(current):
                yield _tidied(current)
            current = Block(above.kind)
        elif above.cell != place.cell:
            current.runs.append(Run(" · "))
        text = (node.text_content or "")[: MOST_SHOWN - shown]
        current.runs.append(Run(text, above.href))
        place, shown = above, shown + len(text)
        if shown >= MOST_SHOWN:
            break
    if _said(current):
        yield _tidied(current)


def _spot(node: LexborNode, above: _Spot, lead: Callable[[str], str]) -> _Spot:
    tag, me = node.tag or "", node.mem_id
    if tag in _HEADINGS or tag in ("pre", "blockquote", "tr") or tag in _ITEMS:
        kind = "li" if tag in _ITEMS else tag
        return _Spot(me, kind, 0, above.href)
    if tag in _BLOCKS:
        return _Spot(me, above.kind if above.kind in ("li", "blockquote") else "p", 0, above.href)
    if tag in ("td", "th"):
        return above._replace(cell=me)
    if tag == "a":
        href = node.attributes.get("href")
        return above._replace(href=lead(href) if href else "")
    return above


def _said(block: Block) -> bool:
    return any(run.text.strip(" ·\n\t\r\xa0") for run in block.runs)


def _tidied(block: Block) -> Block:
    """Runs of one link as one; white space as one space, except where it is preformatted."""
    joined = [Run("".join(run.text for run in runs), href) for href, runs in groupby(block.runs, lambda run: run.href)]
    if block.kind == "pre":
        return Block("pre", [Run(run.text.replace("\0", " "), run.href) for run in joined])
    runs: list[Run] = []
    for text, href in joined:
        folded = " ".join(text.replace("\0", " ").split())
        begin = " " if text[:1].isspace() and runs and not runs[-1].text.endswith(" ") else ""
        if folded:
            runs.append(Run(begin + folded + (" " if text[-1:].isspace() else ""), href))
        elif begin:
            runs.append(Run(" "))
    return Block(block.kind, runs, _HEADINGS.get(block.kind, 0))


def _levelled(blocks: Sequence[Block]) -> list[Block]:
    """Headings below the title of the page around them, no level left out."""
    last = 1
    for block in blocks:
        if block.level:
            last = block.level = min(max(2, block.level), last + 1)
    return list(blocks)


def parts_of(blocks: Sequence[Block]) -> list[list[Block]]:
    """Blocks in parts that are shown at once; at least one."""
    parts: list[list[Block]] = [[]]
    length = 0
    for block in blocks:
        if parts[-1] and (length + block.length > PART or len(parts[-1]) >= MOST_BLOCKS_OF_PART):
            parts.append([])
            length = 0
        parts[-1].append(block)
        length += block.length
    return parts

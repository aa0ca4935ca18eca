"""The links of a document: where each leads, what it is called, and what stands around it (T2, T4).

A page has dozens of links, so this is where reading it takes its time: what all
anchors need is done for all of them in one go, and the loop over them does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress, islice
from typing import NamedTuple, cast

from selectolax.lexbor import LexborNode

from lycosa import urls
from lycosa.pages.html.elements import IMAGE, LEVELS, Elements, folded, shortened
from lycosa.pages.html.link_context import Block, Places
from lycosa.pages.html.link_types import rel_with_type
from lycosa.records import NO_HEADINGS, Headings, Link, Links

LONGEST_ANCHOR = 200
LONGEST_HEADING = 300
MOST_HEADINGS = 500
MOST_INSIDE = 200
"""Elements of an anchor that are looked at for an image."""
MENTIONS_PER_LINK = 4
"""Anchors looked at, as a multiple of the links wanted: many anchors may lead to one page."""


class FoundLinks(NamedTuple):
    """The links of a page, and what was learnt about its text on the way."""

    links: Links
    dropped: int
    headings: tuple[str, ...]
    framing: list[LexborNode]
    blocks: list[Block]


class Found(NamedTuple):
    """What is kept of an anchor."""

    anchor: str
    boundary: str
    headings: Headings
    link_path: str
    rel: str
    position: int


class Outline:
    """The headings of a document, read in order: those above the current spot, and all so far."""

    def __init__(self, title: str, levels: Sequence[int], read: Callable[[int], str]) -> None:
        self._levels, self._read = levels, read
        self.main = (read(levels.index(1)) if 1 in levels else "") or title
        """The first `<h1>`, else the title."""
        self.above = Headings(self.main)
        self.texts: list[str] = []
        self._open: list[tuple[int, tuple[str, ...]]] = []

    def above_each(self, anchors_before: Sequence[int], anchors: int) -> list[Headings]:
        """For each anchor of the document the headings above it; told how many anchors come before each heading."""
        above: list[Headings] = []
        for number, before in enumerate(anchors_before):
            above += [self.above] * (before - len(above))
            self._enter(number)
        above += [self.above] * (anchors - len(above))
        return above

    def _enter(self, number: int) -> None:
        """A heading closes all sections of its level and below."""
        text = self._read(number) if len(self.texts) < MOST_HEADINGS else ""
        if not text:
            return
        level = self._levels[number]
        self.texts.append(text)
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        around = self._open[-1][1] if self._open else ()
        sections = around if level == 1 and text == self.main else (*around, text)
        self._open.append((level, sections))
        self.above = Headings(self.main, sections, text)


class Anchors:
    """The anchors of a document that lead somewhere, in order, with the headings above each."""

    def __init__(self, elements: Elements, above: list[Headings], most: int) -> None:
        self.nodes, self.above = elements.anchors, above
        self.left_out = 0
        if len(self.nodes) > most:
            self._leave_out(most)
        attributes = [node.attributes for node in self.nodes]
        hrefs = [given.get("href") for given in attributes]
        if None in hrefs:
            leading = [href is not None for href in hrefs]
            self.nodes = list(compress(self.nodes, leading))
            self.above = list(compress(self.above, leading))
            attributes = list(compress(attributes, leading))
            hrefs = list(compress(hrefs, leading))
        self.hrefs = cast("list[str]", hrefs)
        self.rels = [
            rel_with_type(given.get("rel"), given.get("type")) if "rel" in given or "type" in given else ""
            for given in attributes
        ]

    def _leave_out(self, most: int) -> None:
        """No more than so many anchors with an address are read."""
        found = 0
        for number, node in enumerate(self.nodes, 1):
            found += node.attributes.get("href") is not None
            if found >= most:
                self.left_out = len(self.nodes) - number
                self.nodes, self.above = self.nodes[:number], self.above[:number]
                return

    def texts(self) -> list[str]:
        """The words of the anchors; most need no folding, and one look at all of them together tells."""
        texts = [
            text.strip()
            if (child := node.first_child) is not None
            and child.next is None
            and (text := child.text_content) is not None
            else node.text(True, " ", True, True)
            for node in self.nodes
        ]
        together = "|".join(texts)
        if folded(together) is not together:
            texts = [folded(text[: LONGEST_ANCHOR * 4]) for text in texts]
        return [text[:LONGEST_ANCHOR] for text in texts] if max(map(len, texts), default=0) > LONGEST_ANCHOR else texts


def find_links(
    elements: Elements, page: Link, base: str, title: str, most: int, *, drop_tracking: bool = True, codec: str = ""
) -> FoundLinks:
    """One link per URL: the first mention, unless that one only navigates and a later one says more."""
    nodes, places = elements.headings, Places(elements.root)
    outline = Outline(title, [LEVELS[node.tag_id] for node in nodes], lambda number: _heading(nodes[number]))
    above = outline.above_each(elements.anchors_before, len(elements.anchors))
    anchors = Anchors(elements, above, most * MENTIONS_PER_LINK)
    chosen: dict[str, Found] = {}
    blocks: list[Block] = []
    dropped, own, known = anchors.left_out, page.url, places.known.get
    resolved = urls.resolve(base, anchors.hrefs, drop_tracking=drop_tracking, codec=codec)
    for url, text, node, headings, rel in zip(
        resolved, anchors.texts(), anchors.nodes, anchors.above, anchors.rels, strict=True
    ):
        if url is None or url == own:
            continue
        parent = node.parent
        place, block = (parent is not None and known(parent.mem_id)) or places.of(parent)
        anchor = text or _described(node)
        block.anchors.append(anchor)
        position = len(blocks)
        if url in chosen:
            position = chosen[url].position
            if not _says_more(anchor, block, chosen[url].anchor, blocks[position]):
                continue
            blocks[position] = block
        elif position < most:
            blocks.append(block)
        else:
            dropped += 1
            continue
        boundary = places.boundary(node, block)
        chosen[url] = Found(anchor, boundary, headings, place.link_path, rel, position)
    found = list(chosen.values())
    links = Links(
        own,
        page.depth + 1,
        list(chosen),
        "\n".join([each.anchor for each in found]),
        [each.boundary for each in found],
        [each.headings for each in found],
        "\n".join([each.link_path for each in found]),
        [each.rel for each in found],
    )
    return FoundLinks(links, dropped, tuple(outline.texts), places.framing, places.blocks)


def _says_more(anchor: str, block: Block, first: str, first_block: Block) -> bool:
    return len(anchor) > len(first) and first_block.navigates() and not block.navigates()


def with_refresh(links: Links, url: str, most: int) -> Links:
    """The links of a page, and last where its `<meta http-equiv=refresh>` leads, unless it is among them already."""
    if not url or url == links.parent or len(links) >= most or url in links.urls:
        return links
    return Links(
        links.parent,
        links.depth,
        [*links.urls, url],
        f"{links.anchors}\n" if links else "",
        [*links.boundaries, ""],
        [*links.headings, NO_HEADINGS],
        f"{links.tag_paths}\nhtml/head/meta" if links else "html/head/meta",
        [*links.rels, "refresh"],
    )


def _described(node: LexborNode) -> str:
    """What an anchor without words is called: by its first image that has a description, else by its attributes."""
    inside = islice(node.traverse(), 1, MOST_INSIDE)
    images = (image.attributes for image in inside if image.tag_id == IMAGE)
    pictured = next((image["alt"] for image in images if "alt" in image), "")
    attributes = node.attributes
    text = pictured or attributes.get("alt") or attributes.get("aria-label") or attributes.get("title") or ""
    return shortened(text, LONGEST_ANCHOR, LONGEST_ANCHOR * 4)


def _heading(node: LexborNode) -> str:
    return shortened(node.text_lexbor(), LONGEST_HEADING, LONGEST_HEADING * 4)

"""The links of a document: where each leads, what it is called, and what stands around it (T2, T4)."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from selectolax.lexbor import LexborNode

from lycosa import urls
from lycosa.pages.elements import LEVELS, Elements, folded
from lycosa.pages.places import Block, Places, Spot
from lycosa.records import Headings, Link

LONGEST_ANCHOR = 200
LONGEST_HEADING = 300
MOST_HEADINGS = 500
MENTIONS_PER_LINK = 4
"""Anchors looked at, as a multiple of the links wanted: many anchors may lead to one page."""


Mention: TypeAlias = tuple[str, Spot, Headings, str]
"""Anchor text, spot, headings and rel of one anchor, before it is known whether it is the best one for its URL."""


class FoundLinks(NamedTuple):
    """The links of a page, and what was learnt about its text on the way."""

    links: tuple[Link, ...]
    dropped: int
    headings: tuple[str, ...]
    framing: list[LexborNode]
    blocks: list[Block]


class Outline:
    """The headings of a document, read in order: those above the current spot, and all so far."""

    def __init__(self, title: str) -> None:
        self.main = title
        self.above = Headings(title)
        self.texts: list[str] = []
        self._open: list[tuple[int, tuple[str, ...]]] = []

    def name(self, flow: list[LexborNode]) -> None:
        """The main heading is the first `<h1>`, else the title."""
        for node in flow:
            if LEVELS.get(node.tag_id) == 1:
                self.main = _heading(node) or self.main
                self.above = Headings(self.main)
                return

    def enter(self, level: int, node: LexborNode) -> None:
        """A heading closes all sections of its level and below."""
        text = _heading(node) if len(self.texts) < MOST_HEADINGS else ""
        if not text:
            return
        self.texts.append(text)
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        around = self._open[-1][1] if self._open else ()
        sections = around if level == 1 and text == self.main else (*around, text)
        self._open.append((level, sections))
        self.above = Headings(self.main, sections, text)


class Anchors:
    """The anchors of a document in order, with what they lead to and the headings above each."""

    def __init__(self, flow: list[LexborNode], outline: Outline, most: int) -> None:
        self.nodes: list[LexborNode] = []
        self.hrefs: list[str] = []
        self.headings: list[Headings] = []
        self.rels: list[str] = []
        self.left_out = 0
        for number, node in enumerate(flow):
            level = LEVELS.get(node.tag_id)
            if level is not None:
                outline.enter(level, node)
                continue
            attributes = node.attributes
            href = attributes.get("href")
            if href is not None:
                self.nodes.append(node)
                self.hrefs.append(href)
                self.headings.append(outline.above)
                self.rels.append(attributes.get("rel") or "" if len(attributes) > 1 else "")
                if len(self.hrefs) >= most:
                    self.left_out = sum(1 for rest in flow[number + 1 :] if rest.tag_id not in LEVELS)
                    return

    def texts(self) -> list[str]:
        """The words of the anchors; most need no folding, and one look at all of them together tells."""
        texts = [node.text(True, " ", True, True) for node in self.nodes]
        together = "|".join(texts)
        return texts if folded(together) is together else [folded(text[: LONGEST_ANCHOR * 4]) for text in texts]


def find_links(elements: Elements, page: Link, base: str, title: str, most: int) -> FoundLinks:
    """One link per URL: the first mention, unless that one only navigates and a later one says more."""
    outline, places = Outline(title), Places(elements.root)
    outline.name(elements.flow)
    anchors = Anchors(elements.flow, outline, most * MENTIONS_PER_LINK)
    mentions = zip(
        urls.resolve(base, anchors.hrefs), anchors.texts(), anchors.nodes, anchors.headings, anchors.rels, strict=True
    )
    chosen: dict[str, Mention] = {}
    dropped, own, place_of = anchors.left_out, page.url, places.of
    for url, text, node, headings, rel in mentions:
        if url is None or url == own:
            continue
        spot = place_of(node.parent)
        anchor = text[:LONGEST_ANCHOR] or _described(node)
        spot[1].anchors.append(anchor)
        if url not in chosen:
            if len(chosen) < most:
                chosen[url] = (anchor, spot, headings, rel)
            else:
                dropped += 1
        elif _says_more(anchor, spot, chosen[url]):
            chosen[url] = (anchor, spot, headings, rel)
    return FoundLinks(_links(chosen, page), dropped, tuple(outline.texts), places.framing, places.blocks)


def _says_more(anchor: str, spot: Spot, first: Mention) -> bool:
    return len(anchor) > len(first[0]) and first[1][1].navigates() and not spot[1].navigates()


def _links(chosen: dict[str, Mention], page: Link) -> tuple[Link, ...]:
    parent, depth = page.url, page.depth + 1
    found: list[Link] = []
    for position, (url, (anchor, (place, block), headings, rel)) in enumerate(chosen.items()):
        boundary = block.read or block.text()
        found.append(
            Link(url, parent, anchor, boundary, headings, place.link_path, rel and rel.lower(), position, depth)
        )
    return tuple(found)


def refresh_link(target: str, page: Link, base: str, position: int) -> Link | None:
    """The link that a `<meta http-equiv=refresh>` makes, if it leads to another page."""
    url = urls.resolve(base, [target])[0] if target else None
    if url is None or url == page.url:
        return None
    return Link(url, page.url, tag_path="html/head/meta", rel="refresh", position=position, depth=page.depth + 1)


def _described(node: LexborNode) -> str:
    image = node.css_first("img[alt]")
    attributes = node.attributes
    text = (image.attributes.get("alt") if image is not None else "") or attributes.get("alt")
    text = text or attributes.get("aria-label") or attributes.get("title") or ""
    return folded(text[: LONGEST_ANCHOR * 4]).strip()[:LONGEST_ANCHOR]


def _heading(node: LexborNode) -> str:
    return folded(node.text_lexbor()[: LONGEST_HEADING * 4]).strip()[:LONGEST_HEADING]

"""One walk over the parsed document that sorts its elements by what they are for.

The parser hands out all elements in document order, and a table from element
kinds to lists sorts them. Everything else in this room works on these lists, so
no page is walked twice; a selector for the wanted kinds alone takes longer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from lycosa.pages.structure.outline import outline

MOST_BREAKS = 5000
"""Line breaks that are made spaces, so that the words around them stay apart."""

_NOISE = ("script", "style", "noscript", "template", "iframe", "select", "textarea", "noembed", "noframes", "datalist")
_FRAME = ("nav", "aside", "dialog", "menu", "button", "header", "footer", "form")
SORTS = ("anchors", "noise", "frame", "mains", "articles", "metas", "relations", "bases", "titles", "times", "breaks",
          "headings")  # fmt: skip
SORT_OF_TAG = {
    "a": "anchors", "area": "anchors", **dict.fromkeys(_NOISE, "noise"), **dict.fromkeys(_FRAME, "frame"),
    "main": "mains", "article": "articles", "meta": "metas", "link": "relations", "base": "bases", "title": "titles",
    "time": "times", "br": "breaks", **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "headings"),
}  # fmt: skip


def kind_of(tag: str) -> int:
    """The parser's number for a kind of element."""
    return LexborHTMLParser("").create_node(tag).tag_id


_SORT_OF_KIND = {kind_of(tag): SORTS.index(sort) for tag, sort in SORT_OF_TAG.items()}
_WANTED = frozenset(_SORT_OF_KIND)
_LINK = kind_of("a")
IMAGE = kind_of("img")
_HEADINGS = SORTS.index("headings")
LEVELS = {kind_of(f"h{level}"): level for level in range(1, 7)}
"""The level of each heading by its kind."""
_AS_WRITTEN = LexborDocumentOptions.WO_EVENTS.value
"""The parser need not look out for `<selectedcontent>`: it is noise to us."""


Attributes: TypeAlias = dict[str, str | None]
MOST_RELATIONS = 200
MOST_TITLES = 8


class Said(NamedTuple):
    """What a document says of itself, as written: the attributes of elements that speak of it, title and language."""

    metas: list[Attributes]
    relations: list[Attributes]
    bases: list[Attributes]
    times: list[Attributes]
    title: str
    language: str


class Elements:
    """The elements of a document that matter to us, each list in document order."""

    __slots__ = (*SORTS, "anchors_before", "root", "structure", "tree")

    anchors: list[LexborNode]
    noise: list[LexborNode]
    frame: list[LexborNode]
    mains: list[LexborNode]
    articles: list[LexborNode]
    metas: list[LexborNode]
    relations: list[LexborNode]
    bases: list[LexborNode]
    titles: list[LexborNode]
    times: list[LexborNode]
    breaks: list[LexborNode]
    headings: list[LexborNode]

    def __init__(self, html: bytes, structure: bool = False) -> None:
        self.tree = LexborHTMLParser(html, options=_AS_WRITTEN, scripting=True)
        self.root = self.tree.root or self.tree.create_node("html")
        self.anchors_before: list[int] = []
        """For each heading, how many anchors come before it."""
        self.structure = b""
        """The code of the document's skeleton, where it is wanted."""
        nodes: Iterable[LexborNode] = self.root.traverse()
        if structure:
            skeleton, nodes = outline(self.root, _WANTED)
            self.structure = skeleton.to_bytes()
        self._sort(nodes)
        for node in self.noise:
            node.decompose(recursive=False)
        for node in self.breaks[:MOST_BREAKS]:
            node.replace_with(" ")

    def said(self) -> Said:
        """What the document says of itself."""
        listed = (self.metas, self.relations[:MOST_RELATIONS], self.bases[:1], self.times[:1])
        metas, relations, bases, times = ([node.attributes for node in nodes] for nodes in listed)
        return Said(metas, relations, bases, times, self._title(), self.root.attributes.get("lang") or "")

    def _title(self) -> str:
        """The first title that is not part of a drawing."""
        for node in self.titles[:MOST_TITLES]:
            parent = node.parent
            if parent is not None and parent.tag in ("head", "body", "html"):
                return node.text(True, "", True)
        return ""

    def _sort(self, nodes: Iterable[LexborNode]) -> None:
        """A loop over all elements: what it does for each counts on every page."""
        lists: list[list[LexborNode]] = [[] for _ in SORTS]
        for sort, found in zip(SORTS, lists, strict=True):
            setattr(self, sort, found)
        anchors, sorts, link = self.anchors, _SORT_OF_KIND, _LINK
        for node in nodes:
            kind = node.tag_id
            if kind == link:
                anchors.append(node)
            elif kind in sorts:
                sort_of_it = sorts[kind]
                lists[sort_of_it].append(node)
                if sort_of_it == _HEADINGS:
                    self.anchors_before.append(len(anchors))


def text_of(node: LexborNode) -> str:
    """The text of an element, its pieces parted by a space so that neighbouring blocks do not run together."""
    return node.text(True, " ", True, True)


def folded(text: str) -> str:
    """Text with each run of white space as one space. Two spaces in a row are found sooner from the end."""
    if "\n" in text or "\t" in text or "\xa0" in text or text.rfind("  ") >= 0:
        return " ".join(text.split())
    return text


def shortened(text: str, longest: int, looked_at: int) -> str:
    """The beginning of a text, folded; of a long text no more than its first characters are looked at."""
    if len(text) > longest:
        return folded(text[:looked_at]).strip()[:longest]
    return folded(text).strip()

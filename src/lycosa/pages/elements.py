"""One walk over the parsed document that sorts its elements by what they are for.

The parser hands out all elements in document order in one native call, and a
table from element kinds to lists sorts them. Everything else in this room works
on these lists, so no page is walked twice.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

LARGE = 1_000_000
"""Documents with more characters are asked only for the elements of interest, to spare memory."""

MOST_BREAKS = 5000
"""Line breaks that are made spaces, so that the words around them stay apart."""

_FLOW = ("a", "area", "h1", "h2", "h3", "h4", "h5", "h6")
_NOISE = ("script", "style", "noscript", "template", "iframe", "select", "textarea", "noembed", "noframes", "datalist")
_FRAME = ("nav", "aside", "dialog", "menu", "button", "header", "footer", "form")
_PLACES = ("flow", "noise", "frame", "mains", "articles", "metas", "relations", "bases", "titles", "times", "breaks")
_SORTED = {
    **dict.fromkeys(_FLOW, "flow"), **dict.fromkeys(_NOISE, "noise"), **dict.fromkeys(_FRAME, "frame"),
    "main": "mains", "article": "articles", "meta": "metas", "link": "relations", "base": "bases",
    "title": "titles", "time": "times", "br": "breaks",
}  # fmt: skip
_SELECTOR = ",".join(_SORTED)


def _kinds() -> dict[str, int]:
    """The parser's number for each element we look for."""
    parser = LexborHTMLParser("")
    return {tag: parser.create_node(tag).tag_id for tag in _SORTED}


KINDS = _kinds()
_PLACE_OF_KIND = [(KINDS[tag], place) for tag, place in _SORTED.items()]
LEVELS = {KINDS[f"h{level}"]: level for level in range(1, 7)}
"""The level of each heading by its kind."""


class Elements:
    """The elements of a document that matter to us, each list in document order."""

    __slots__ = (*_PLACES, "root", "tree")

    flow: list[LexborNode]
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

    def __init__(self, html: bytes) -> None:
        self.tree = LexborHTMLParser(html, scripting=True)
        self.root = self.tree.root or self.tree.create_node("html")
        lists: dict[str, list[LexborNode]] = {place: [] for place in _PLACES}
        for place, found in lists.items():
            setattr(self, place, found)
        put = {kind: lists[place].append for kind, place in _PLACE_OF_KIND}
        wanted = put.get
        for node in self.tree.css("*" if len(html) < LARGE else _SELECTOR):
            append = wanted(node.tag_id)
            if append is not None:
                append(node)
        for node in self.noise:
            node.decompose(recursive=False)
        for node in self.breaks[:MOST_BREAKS]:
            node.replace_with(" ")


def text_of(node: LexborNode) -> str:
    """The text of an element, its pieces parted by a space so that neighbouring blocks do not run together."""
    return node.text(True, " ", True, True)


def folded(text: str) -> str:
    """Text with each run of white space as one space."""
    if "\n" in text or "  " in text or "\t" in text or "\xa0" in text:
        return " ".join(text.split())
    return text

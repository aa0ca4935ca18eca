"""Where in a document a link stands: its path of elements, and the block of text around it.

Links of one list or paragraph share nearly all of their ancestors, so a place is
worked out once per element and remembered by the element's address.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

import msgspec
from selectolax.lexbor import LexborNode

from lycosa.pages.elements import folded, text_of

LONGEST_PATH = 50
"""Elements of a tag path; deeper ones are left out."""
DEEPEST = 250
"""Links deeper than this many elements stand where their ancestor of that depth stands."""
LONGEST_BOUNDARY = 1000
LONGEST_HINT = 120
"""Characters of a class name or id that are looked at, and so at most remembered."""

_LISTS = frozenset(("ul", "ol", "dl", "menu", "dir"))
_OWN_BOUNDARY = _LISTS | {"p", "tr"}
"""A paragraph, a list, a row: the boundaries of T2."""
_SECTIONS = frozenset(("body", "main", "article", "section", "aside", "nav", "blockquote", "header", "footer"))
"""Blocks whose content has nothing to do with the row or list they are laid out in."""
_BLOCKS = frozenset(
    ("div", "form", "fieldset", "figure", "figcaption", "address", "pre", "center", "details", "summary", "caption",
     "h1", "h2", "h3", "h4", "h5", "h6", "table", "td", "th", "li", "dd", "dt", "hgroup", "search", "dialog")
)  # fmt: skip
_ONE_LINE = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "summary", "caption", "figcaption"))
"""Blocks without blocks inside: their text needs no spaces put between its pieces."""
_CONTENT = frozenset(("main", "article"))
_FRAME = frozenset(("nav", "aside", "dialog", "menu"))
_PAGE_FRAME = frozenset(("header", "footer"))
_HINTED = frozenset(("div", "section", "ul", "ol", "table"))
"""Elements that pages give a role by their attributes."""
_MAY_FRAME = _FRAME | _PAGE_FRAME | _HINTED
_FRAME_WORDS = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|footer|cookies?|consent|gdpr|share|sharing|social"
    r"|pagination|pager|popup|modal|newsletter|banner|contentinfo|complementary|toc|skip)(?:$|[\s_-])"
)
_CONTENT_WORDS = re.compile(r"content(?!info)|main|article|wrapper|container|page|post|body|entry|story")


class Block(msgspec.Struct, eq=False):
    """A stretch of text that belongs together, and how much of it is links."""

    node: LexborNode
    tag: str
    framing: bool
    anchors: list[str] = msgspec.field(default_factory=list)
    read: str = ""

    def text(self) -> str:
        """The block's text, read once, however many links it has."""
        if not self.read:
            text = self.node.text_lexbor() if self.tag in _ONE_LINE else text_of(self.node)
            self.read = folded(text[: LONGEST_BOUNDARY * 2]).strip()[:LONGEST_BOUNDARY]
        return self.read

    def mostly_links(self) -> bool:
        """Whether there is hardly anything in it but links."""
        return len(self.anchors) > 1 and sum(map(len, self.anchors)) * 10 >= len(self.text()) * 7

    def navigates(self) -> bool:
        """Whether it is there to lead around the site rather than to say something."""
        return self.framing or (self.tag in _LISTS and self.mostly_links())


class Place(msgspec.Struct, frozen=True, eq=False):
    """What the content of one element, and of its siblings of the same kind, has in common.

    `bounded` says that a paragraph, list or row around it is its block, and smaller
    blocks do not count; `tag` is that of an element that is a block itself, else ''.
    """

    path: str
    link_path: str
    depth: int
    tag: str
    framing: bool
    in_content: bool
    bounded: bool


Spot: TypeAlias = tuple[Place, Block]
"""A place and the very block that a link in it belongs to."""


class Places:
    """The places of a document's links."""

    def __init__(self, root: LexborNode) -> None:
        outside = Place("", "a", 0, "", False, False, False)
        self._outside: Spot = (outside, Block(root, "html", False))
        self._known: dict[int, Spot] = {}
        self._alike: dict[tuple[Place, int], Place] = {}
        self.framing: list[LexborNode] = []
        """Elements around links that look like the frame of the page by their name or attributes."""
        self.blocks: list[Block] = []

    def of(self, node: LexborNode | None) -> Spot:
        """The place and the block of what is directly below an element."""
        if node is None:
            return self._outside
        spot = self._known.get(node.mem_id)
        if spot is not None:
            return spot
        parent = node.parent
        above = None if parent is None else self._known.get(parent.mem_id)
        if above is None:
            above = self._climb(parent)
        return self._enter(above, node)

    def _climb(self, node: LexborNode | None) -> Spot:
        """As `of`, for an element none of whose near ancestors may be known; a loop, since documents may be deep."""
        chain: list[LexborNode] = []
        spot: Spot | None = None
        while node is not None:
            spot = self._known.get(node.mem_id)
            if spot is not None:
                break
            chain.append(node)
            node = node.parent
        spot = spot or self._outside
        while chain:
            spot = self._enter(spot, chain.pop())
        return spot

    def _enter(self, above: Spot, node: LexborNode) -> Spot:
        around, block = above
        key = around, node.tag_id
        place = self._alike.get(key)
        if place is None:
            place, shared = self._below(around, node)
            if shared:
                self._alike[key] = place
        if place.tag and place is not around:
            block = Block(node, place.tag, place.framing)
            self.blocks.append(block)
        spot = self._known[node.mem_id] = (place, block)
        return spot

    def _below(self, above: Place, node: LexborNode) -> tuple[Place, bool]:
        """The place inside an element, and whether its siblings of the same kind have the same."""
        tag = node.tag
        if tag is None or tag == "-document" or above.depth >= DEEPEST:
            return above, True
        own, section, may_frame = tag in _OWN_BOUNDARY, tag in _SECTIONS, tag in _MAY_FRAME
        is_block = own or section or (tag in _BLOCKS and not above.bounded)
        path = above.path if above.depth >= LONGEST_PATH - 1 else f"{above.path}/{tag}" if above.path else tag
        place = Place(
            path=path,
            link_path=f"{path}/a",
            depth=above.depth + 1,
            tag=tag if is_block else "",
            framing=above.framing or (may_frame and self._frames(above, node, tag)),
            in_content=above.in_content or tag in _CONTENT,
            bounded=own or (above.bounded and not section),
        )
        return place, not may_frame

    def _frames(self, above: Place, node: LexborNode, tag: str) -> bool:
        """Whether an element is the frame around a page's content; the outermost ones are noted."""
        frames = tag in _FRAME or (tag in _PAGE_FRAME and not above.in_content)
        if not frames and tag in _HINTED:
            hints = node.attributes
            if hints:
                named = hints.get("class") or "", hints.get("id") or "", hints.get("role") or ""
                frames = _hint_at_frame(*(name[:LONGEST_HINT] for name in named))
        if frames:
            self.framing.append(node)
        return frames


@lru_cache(maxsize=8192)
def _hint_at_frame(*named: str) -> bool:
    """Class names repeat over a site's pages, so the answers are remembered."""
    hints = " ".join(named).lower()
    return bool(_FRAME_WORDS.search(hints)) and not _CONTENT_WORDS.search(hints)

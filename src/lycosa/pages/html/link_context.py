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

from lycosa.pages.html.elements import shortened, text_of
from lycosa.pages.html.long_blocks import LONGEST_BOUNDARY, RunningText, number_at, running_text, stretch

LONGEST_PATH = 50
"""Elements of a tag path; deeper ones are left out."""
DEEPEST = 250
"""Links deeper than this many elements stand where their ancestor of that depth stands."""
LONGEST_REMEMBERED = 500
"""Places with a longer path are not remembered from page to page."""
LONGEST_HINT = 120
"""Characters of a class name or id that are looked at, and so at most remembered."""

LISTS = frozenset(("ul", "ol", "dl", "menu", "dir"))
OWN_BOUNDARY = LISTS | {"p", "tr"}
"""A paragraph, a list, a row: the boundaries of T2."""
SECTIONS = frozenset(("body", "main", "article", "section", "aside", "nav", "blockquote", "header", "footer"))
"""Blocks whose content has nothing to do with the row or list they are laid out in."""
BLOCKS = frozenset(
    ("div", "form", "fieldset", "figure", "figcaption", "address", "pre", "center", "details", "summary", "caption",
     "h1", "h2", "h3", "h4", "h5", "h6", "table", "td", "th", "li", "dd", "dt", "hgroup", "search", "dialog")
)  # fmt: skip
ONE_LINE = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "summary", "caption", "figcaption"))
"""Blocks without blocks inside: their text needs no spaces put between its pieces."""
CONTENT = frozenset(("main", "article"))
FRAME = frozenset(("nav", "aside", "dialog", "menu"))
PAGE_FRAME = frozenset(("header", "footer"))
HINTED = frozenset(("div", "section", "ul", "ol", "table"))
"""Elements that pages give a role by their attributes."""
_MAY_FRAME = FRAME | PAGE_FRAME | HINTED
_FRAME_WORDS = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|footer|cookies?|consent|gdpr|share|sharing|social"
    r"|pagination|pager|popup|modal|newsletter|banner|contentinfo|complementary|toc|skip)(?:$|[\s_-])"
)
_CONTENT_WORDS = re.compile(r"content(?!info)|main|article|wrapper|container|page|post|body|entry|story")


class Place(msgspec.Struct, frozen=True, eq=False):
    """What the content of one element, and of its siblings of the same kind, has in common.

    `bounded` says that a paragraph, list or row around it is its block, and smaller
    blocks do not count; `tag` is that of an element that is a block itself, else ''.
    """

    path: str = ""
    link_path: str = "a"
    depth: int = 0
    tag: str = ""
    framing: bool = False
    in_content: bool = False
    bounded: bool = False


class Block(msgspec.Struct, eq=False):
    """A stretch of text that belongs together, and how much of it is links."""

    node: LexborNode
    tag: str
    framing: bool
    anchors: list[str] = msgspec.field(default_factory=list)
    read: str = ""
    length: int = 0
    """Of a text that is longer than a boundary."""
    stretches: dict[int, str] = msgspec.field(default_factory=dict)

    def text(self) -> str:
        """The block's text, or its beginning, read once, however many links it has."""
        if not self.read:
            text = self.node.text_lexbor() if self.tag in ONE_LINE else text_of(self.node)
            self.read = shortened(text, LONGEST_BOUNDARY, LONGEST_BOUNDARY * 2)
            if len(text) > LONGEST_BOUNDARY:
                self.length, self.stretches[0] = len(text), self.read
        return self.read

    def around(self, link: LexborNode, document: RunningText) -> str:
        """Of a long text the part around a link; the beginning where the document is without them by now."""
        begin, at = (document.begins.get(node.mem_id) for node in (self.node, link))
        number = 0 if begin is None or at is None else number_at(at - begin)
        if begin is not None and number not in self.stretches:
            self.stretches[number] = stretch(document.text, begin, begin + self.length, number)
        return self.stretches[number]

    def mostly_links(self) -> bool:
        """Whether there is hardly anything in it but links."""
        if len(self.anchors) < 2:
            return False
        beginning = len(self.text())
        return sum(map(len, self.anchors)) * 10 >= (self.length or beginning) * 7

    def navigates(self) -> bool:
        """Whether it is there to lead around the site rather than to say something."""
        return self.framing or (self.tag in LISTS and self.mostly_links())


Spot: TypeAlias = tuple[Place, Block]
"""A place and the very block that a link in it belongs to."""


class Places:
    """The places of a document's links. `known` has the spots of the elements met so far, by their address."""

    def __init__(self, root: LexborNode) -> None:
        self.known: dict[int, Spot] = {}
        self.framing: list[LexborNode] = []
        """Elements around links that look like the frame of the page by their name or attributes."""
        self.blocks: list[Block] = []
        self._alike: dict[tuple[Place, int], Place] = {}
        self._outside: Spot = (_OUTSIDE, Block(root, "html", False))
        self._running: dict[str, RunningText] = {}

    def boundary(self, link: LexborNode, block: Block) -> str:
        """The text of a link's block, or as much of it around the link as a boundary holds."""
        read = block.read or block.text()
        if not block.length:
            return read
        joint = "" if block.tag in ONE_LINE else " "
        if joint not in self._running:
            self._running[joint] = running_text(self._outside[1].node, joint)
        return block.around(link, self._running[joint])

    def of(self, node: LexborNode | None) -> Spot:
        """The place and the block of what is directly below an element that is not known yet."""
        if node is None:
            return self._outside
        parent = node.parent
        above = self.known.get(parent.mem_id) if parent is not None else self._outside
        around, block = above or self._climb(parent)
        key = around, node.tag_id
        place = self._alike.get(key) or self._inside(key, node)
        if place.tag and place is not around:
            block = Block(node, place.tag, place.framing)
            self.blocks.append(block)
        spot = self.known[node.mem_id] = (place, block)
        return spot

    def _climb(self, node: LexborNode | None) -> Spot:
        """As `of`, for an element whose near ancestors are not known either; a loop, since documents may be deep."""
        chain: list[LexborNode] = []
        while node is not None and node.mem_id not in self.known:
            chain.append(node)
            node = node.parent
        spot = self.known[node.mem_id] if node is not None else self._outside
        while chain:
            spot = self.of(chain.pop())
        return spot

    def _inside(self, key: tuple[Place, int], node: LexborNode) -> Place:
        """The place inside an element; its siblings of the same kind have the same unless they may be frames."""
        above, tag = key[0], node.tag
        if tag is None or tag == "-document" or above.depth >= DEEPEST:
            return above
        may_frame = tag in _MAY_FRAME
        framing = above.framing or (may_frame and self._frames(above, node, tag))
        make = _remembered_place if len(above.path) + len(tag) <= LONGEST_REMEMBERED else _place
        place = make(above, tag, framing)
        if not may_frame:
            self._alike[key] = place
        return place

    def _frames(self, above: Place, node: LexborNode, tag: str) -> bool:
        """Whether an element is the frame around a page's content; the outermost ones are noted."""
        frames = tag in FRAME or (tag in PAGE_FRAME and not above.in_content)
        if not frames and tag in HINTED:
            hints = node.attributes
            if hints:
                named, identity, role = hints.get("class") or "", hints.get("id") or "", hints.get("role") or ""
                frames = hint_at_frame(named[:LONGEST_HINT], identity[:LONGEST_HINT], role[:LONGEST_HINT])
        if frames:
            self.framing.append(node)
        return frames


def _place(above: Place, tag: str, framing: bool) -> Place:
    own, section = tag in OWN_BOUNDARY, tag in SECTIONS
    is_block = own or section or (tag in BLOCKS and not above.bounded)
    path = above.path if above.depth >= LONGEST_PATH - 1 else f"{above.path}/{tag}" if above.path else tag
    return Place(
        path=path,
        link_path=f"{path}/a",
        depth=above.depth + 1,
        tag=tag if is_block else "",
        framing=framing,
        in_content=above.in_content or tag in CONTENT,
        bounded=own or (above.bounded and not section),
    )


_OUTSIDE = Place()
_remembered_place = lru_cache(maxsize=8192)(_place)
"""Pages of a site are built alike, so most places have been met on an earlier page."""


@lru_cache(maxsize=8192)
def hint_at_frame(*named: str) -> bool:
    """Class names repeat over a site's pages, so the answers are remembered."""
    hints = " ".join(named).lower()
    return bool(_FRAME_WORDS.search(hints)) and not _CONTENT_WORDS.search(hints)

"""The structure of a page: the tree of its element names, without a word of what the page says.

Pages of one template share their tree, whatever they are about. A skeleton is
that tree in document order, one number and one depth per element; its code is the
same bytes in every process and on every machine, so codes can be stored, sent and
compared. Trees are bounded: what is too deep or too much is left out and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np

from lycosa.records import Record

DEEPEST = 128
"""Elements deeper than this are left out; pages that people made have up to 50 levels."""
MOST_ELEMENTS = 10_000
"""Elements of a skeleton; later ones are left out."""
LONGEST_NAME = 40
"""Characters of an element's name that count."""

_NAMES = (
    "html head title base link meta body article section nav aside h1 h2 h3 h4 h5 h6 hgroup header footer address p hr"
    " pre blockquote ol ul menu li dl dt dd figure figcaption main search div a em strong small s cite q dfn abbr ruby"
    " rt rp data time code var samp kbd sub sup i b u mark bdi bdo span br wbr ins del picture source img iframe embed"
    " object video audio track map area table caption colgroup col tbody thead tfoot tr td th form label input button"
    " select datalist optgroup option textarea output progress meter fieldset legend selectedcontent details summary"
    " dialog noscript template slot canvas param center font big tt strike nobr dir frame frameset noframes applet"
    " basefont bgsound blink isindex keygen layer ilayer listing marquee multicol nextid noembed plaintext rb rtc"
    " spacer xmp acronym image noindex portal math mi mn mo ms mtext mrow mfrac msqrt svg g defs symbol use path rect"
    " circle ellipse line polyline polygon text tspan stop lineargradient radialgradient clippath mask pattern filter"
    " foreignobject desc metadata"
)
NAMES = tuple(_NAMES.split())
"""The names that have a number of their own, counted from 1. Part of the code: only ever append."""
FIRST_FOREIGN = 192
"""Other names are numbered from here in the order in which a document uses them, and written out."""
NAMELESS = 255
"""The number of all names beyond the foreign ones that a document may have."""
LEFT_OUT = frozenset(("script", "style"))

Label: TypeAlias = int | str
_NUMBERS = {name: number for number, name in enumerate(NAMES, 1)}
_VERSION = 1
_NO_TREE = "these names are not one tree; write it as html(head(title) body(div(p p)))"
_WRITTEN = re.compile(r"[^\s()]+|[()]")


class Skeleton(Record, frozen=True):
    """A tree of element names in document order: each element's number and its depth, the root's being 1.

    `names` are the names behind the foreign numbers; `left_out` counts elements of the page that are not here.
    """

    tags: bytes
    depths: bytes
    names: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def size(self) -> int:
        """How many elements the tree has."""
        return len(self.tags)

    def labels(self) -> list[Label]:
        """For each element what tells its name from others in any skeleton: a number, or a foreign name."""
        if not self.names:
            return list(self.tags)
        foreign = dict(enumerate(self.names, FIRST_FOREIGN))
        return [foreign.get(tag, tag) for tag in self.tags]

    def to_bytes(self) -> bytes:
        """The code: version, elements left out, foreign names, then all numbers, then all depths."""
        head = bytearray((_VERSION,))
        head += min(self.left_out, 0xFFFFFFFF).to_bytes(4, "little")
        head.append(len(self.names))
        for name in self.names:
            written = name.encode("utf-8", "replace")
            head.append(len(written))
            head += written
        return bytes(head) + self.tags + self.depths

    @classmethod
    def from_bytes(cls, code: bytes) -> Skeleton:
        """The skeleton of a code; a ValueError if the bytes are no such code."""
        try:
            skeleton = _decoded(code)
        except (IndexError, UnicodeDecodeError):
            skeleton = None
        if skeleton is None or not _sound(skeleton):
            raise ValueError("these bytes are not the structure of a page; read the page again with its structure")
        return skeleton

    @classmethod
    def written(cls, text: str) -> Skeleton:
        """The skeleton that is written as nested names: `html(head(title) body(div(p p)))`."""
        return skeleton_of_names(_names_and_depths(text))

    def __str__(self) -> str:
        """The tree as nested names, as `written` reads it."""
        parts: list[str] = []
        before = 0
        for name, depth in self.elements():
            parts.append("(" * (depth > before > 0) + ")" * (before - depth) + " " * (depth <= before) + name)
            before = depth
        return "".join(parts) + ")" * (before - 1)

    def elements(self) -> Iterator[tuple[str, int]]:
        """Each element's name and depth."""
        for tag, depth in zip(self.tags, self.depths, strict=True):
            yield name_of(tag, self.names), depth


def name_of(tag: int, foreign: tuple[str, ...] = ()) -> str:
    """The name behind a number; `?` for a name that was one too many."""
    if tag < FIRST_FOREIGN:
        return NAMES[tag - 1]
    return "?" if tag == NAMELESS else foreign[tag - FIRST_FOREIGN]


class ForeignNames:
    """Numbers for the names of one document that have none of their own."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """The number of a name, known or foreign; 0 for elements that are no part of the structure."""
        name = _plain(name)
        if name in _NUMBERS:
            return _NUMBERS[name]
        if name in LEFT_OUT:
            return 0
        if name not in self._numbers:
            if len(self._numbers) >= NAMELESS - FIRST_FOREIGN:
                return NAMELESS
            self._numbers[name] = FIRST_FOREIGN + len(self._numbers)
        return self._numbers[name]

    def names(self) -> tuple[str, ...]:
        """The foreign names in the order of their numbers."""
        return tuple(self._numbers)


def with_names_in_use(tags: bytes, names: tuple[str, ...]) -> tuple[bytes, tuple[str, ...]]:
    """Tags and foreign names without those that only elements left out had: the code of a tree is its own alone."""
    used = [number for number in dict.fromkeys(tags) if FIRST_FOREIGN <= number < NAMELESS]
    renumbered = bytes.maketrans(bytes(used), bytes(range(FIRST_FOREIGN, FIRST_FOREIGN + len(used))))
    return tags.translate(renumbered), tuple(names[number - FIRST_FOREIGN] for number in used)


def _plain(name: str) -> str:
    """A name short enough for the code, even in characters of four bytes."""
    return name[:LONGEST_NAME].lower()[:LONGEST_NAME].encode("utf-8", "replace").decode()


def skeleton_of_names(elements: Iterable[tuple[str, int]]) -> Skeleton:
    """The skeleton of names with their depths, bounded like any other; for trees that come from no parser.

    A ValueError if they are not one tree.
    """
    tags, depths, left_out = bytearray(), bytearray(), 0
    foreign = ForeignNames()
    for name, depth in elements:
        if depth > DEEPEST or len(tags) >= MOST_ELEMENTS:
            left_out += 1
        elif name not in LEFT_OUT:
            tags.append(foreign.number(name))
            depths.append(max(depth, 0))
    skeleton = Skeleton(bytes(tags), bytes(depths), foreign.names(), left_out)
    if not _sound(skeleton):
        raise ValueError(_NO_TREE)
    return skeleton


def _names_and_depths(text: str) -> Iterator[tuple[str, int]]:
    depth = 1
    for match in _WRITTEN.finditer(text):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth -= 1
        else:
            yield match[0], depth
    if depth != 1:
        raise ValueError(_NO_TREE)


def _decoded(code: bytes) -> Skeleton | None:
    if code[0] != _VERSION:
        return None
    left_out, at = int.from_bytes(code[1:5], "little"), 6
    names: list[str] = []
    for _ in range(code[5]):
        end = at + 1 + code[at]
        names.append(code[at + 1 : end].decode())
        at = end
    half, odd = divmod(len(code) - at, 2)
    if odd or half < 0:
        return None
    return Skeleton(code[at : at + half], code[at + half :], tuple(names), left_out)


def _sound(skeleton: Skeleton) -> bool:
    """Whether it is a tree with one root, in bounds, whose foreign names are numbered in the order of their use."""
    tags = np.frombuffer(skeleton.tags, np.uint8)
    depths = np.frombuffer(skeleton.depths, np.uint8).astype(np.int16)
    if not 0 < len(tags) <= MOST_ELEMENTS or depths[0] != 1 or tags.min() == 0 or depths.max() > DEEPEST:
        return False
    one_root = len(depths) == 1 or (depths[1:].min() > 1 and np.diff(depths).max() <= 1)
    foreign = tags[tags > len(NAMES)]
    used = list(dict.fromkeys(foreign[foreign != NAMELESS].tolist()))
    return bool(one_root) and used == list(range(FIRST_FOREIGN, FIRST_FOREIGN + len(skeleton.names)))

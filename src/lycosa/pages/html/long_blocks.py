"""What stands around a link in a block that is longer than a boundary may be.

The block is covered by stretches that overlap by half, and a link has the one in whose
middle it stands. So links near each other share a stretch, and with it all that is made of
its words. Only pages with such blocks pay for it, by one walk over their text.
"""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborNode

from lycosa.pages.html.elements import folded

LONGEST_BOUNDARY = 1000
STEP = LONGEST_BOUNDARY // 2
"""From one stretch to the next."""
MARGIN = LONGEST_BOUNDARY // 4
"""What a link has on either side at least, unless the block ends there."""
_LONGEST_WORD = 40
_BLANK = " \t\n\f\r"


class RunningText(NamedTuple):
    """The text of a document as one line, and where in it each node begins."""

    text: str
    begins: dict[int, int]


def running_text(root: LexborNode, joint: str) -> RunningText:
    """The text of the root as `text_of` makes it, or without a joint between its pieces just as it is."""
    pieces: list[str] = []
    begins: dict[int, int] = {}
    length, between = 0, 0
    for node in root.traverse(include_text=True):
        begin = begins[node.mem_id] = length + between
        if node.tag == "-text":
            text = node.text_content or ""
            if joint and not text.strip(_BLANK):
                continue
            pieces.append(text.strip() if joint else text)
            length, between = begin + len(pieces[-1]), len(joint)
    return RunningText(joint.join(pieces), begins)


def number_at(offset: int) -> int:
    """Which stretch a link has that begins so many characters after its block."""
    return max(0, (offset - MARGIN) // STEP)


def stretch(text: str, begin: int, end: int, number: int) -> str:
    """One of the stretches of the block that a text has from `begin` to `end`, from word to word."""
    at = min(begin + number * STEP, end - LONGEST_BOUNDARY)
    border = text.find(" ", at, at + _LONGEST_WORD)
    at = border if border >= 0 else at
    found = folded(text[at : min(end, at + LONGEST_BOUNDARY * 2)]).strip()
    if len(found) <= LONGEST_BOUNDARY:
        return found
    border = found.rfind(" ", LONGEST_BOUNDARY - _LONGEST_WORD, LONGEST_BOUNDARY + 1)
    return found[: border if border >= 0 else LONGEST_BOUNDARY].rstrip()

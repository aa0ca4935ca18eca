"""The skeleton of a parsed document, taken from its elements before anything is removed.

Depth is not what the parser tells, so each element's is one more than that of
its parent, which has come before. `<noscript>`, `<template>` and `<iframe>` count
as elements without content: what is in them is no part of the tree that a visitor
with scripts sees. Comments, scripts and styles do not count at all.
"""

from __future__ import annotations

from collections.abc import Container

from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.pages.structure.skeleton import (
    DEEPEST,
    LEFT_OUT,
    MOST_ELEMENTS,
    NAMES,
    ForeignNames,
    Skeleton,
    with_names_in_use,
)

FIRST_NAMED_KIND = 6
"""Lower numbers of the parser are comments and the like; numbers of names it does not know are far above."""
LAST_NAMED_KIND = 1023
TOO_DEEP = DEEPEST + 1


def _numbers_of_kinds() -> dict[int, int]:
    """Our number for each kind of element that the parser knows; 0 for what is no part of the structure."""
    parser = LexborHTMLParser("")
    kinds = {name: parser.create_node(name).tag_id for name in (*NAMES, *LEFT_OUT)}
    numbers = {kinds[name]: number for number, name in enumerate(NAMES, 1) if kinds[name] <= LAST_NAMED_KIND}
    return numbers | dict.fromkeys((*range(FIRST_NAMED_KIND), *(kinds[name] for name in LEFT_OUT)), 0)


NUMBER_OF_KIND = _numbers_of_kinds()


def outline(root: LexborNode, wanted: Container[int] = ()) -> tuple[Skeleton, list[LexborNode]]:
    """The skeleton of a document from its root, and on the way its elements of the wanted kinds.

    What this does for each element counts on every page. Elements whose parent was
    left out, being too deep or a style, have no depth and are left out too.
    """
    numbers, foreign = NUMBER_OF_KIND.copy(), ForeignNames()
    tags, depths, left_out = bytearray((_number(root, foreign),)), bytearray(b"\x01"), 0
    depth_of, found = {root.mem_id: 2}, []
    elements = root.traverse()
    next(elements)
    for node in elements:
        kind = node.tag_id
        if kind in wanted:
            found.append(node)
        number = numbers.get(kind)
        if number is None:
            number = numbers[kind] = _number(node, foreign)
        if number:
            depth = depth_of.get(node.parent.mem_id, TOO_DEEP)  # type: ignore[union-attr]  # only the root has none
            if depth > DEEPEST:
                left_out += 1
            else:
                depth_of[node.mem_id] = depth + 1
                tags.append(number)
                depths.append(depth)
    return skeleton_of(tags, depths, foreign, left_out), found


def skeleton_of(tags: bytearray, depths: bytearray, foreign: ForeignNames, left_out: int) -> Skeleton:
    """The skeleton of elements with these numbers and depths, as many as it may have."""
    left_out += max(0, len(tags) - MOST_ELEMENTS)
    kept, names = bytes(tags[:MOST_ELEMENTS]), foreign.names()
    if left_out and names:
        kept, names = with_names_in_use(kept, names)
    return Skeleton(kept, bytes(depths[:MOST_ELEMENTS]), names, left_out)


def _number(node: LexborNode, foreign: ForeignNames) -> int:
    return foreign.number(node.tag or "")

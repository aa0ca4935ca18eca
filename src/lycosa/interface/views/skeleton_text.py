"""How a page is built, on one line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from lycosa.pages.structure.skeleton import Skeleton

LONGEST_SKETCH = 110


def one_line(skeleton: Skeleton, longest: int = LONGEST_SKETCH) -> str:
    """A page's body in one line, as deep as there is room: header(nav) main(h1 p×7) footer."""
    elements = list(skeleton.elements())
    begin = next((place for place, (name, depth) in enumerate(elements) if name == "body" and depth == 2), 0)
    body = elements[begin + 1 :]
    shallow = ""
    for levels in range(1, 12):
        line = _nested([(name, depth - 2) for name, depth in body if 2 < depth <= 2 + levels])
        if len(line) > longest:
            return shallow or line[: longest - 1] + "…"
        shallow = line
    return shallow


def _nested(elements: Sequence[tuple[str, int]]) -> str:
    """Names with their depths as nested text; neighbours that look the same are counted."""
    parts: list[str] = []
    place = 0
    while place < len(elements):
        end = _end(elements, place)
        inner = _nested(elements[place + 1 : end])
        parts.append(elements[place][0] + (f"({inner})" if inner else ""))
        place = end
    runs = [(text, len(list(equal))) for text, equal in groupby(parts)]
    return " ".join(f"{text}×{number}" if number > 1 else text for text, number in runs)


def _end(elements: Sequence[tuple[str, int]], place: int) -> int:
    """Where the element after one and all below it is."""
    depth = elements[place][1]
    return next((at for at in range(place + 1, len(elements)) if elements[at][1] <= depth), len(elements))

"""Lines of a format string cut at the texts between its fields, all at once.

A field ends where the text after it begins. Wherever the first byte of that text stands and
not all of it, or a backslash before a quote, the line is left to the format, which reads it alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import Places, number_of, windows
from lycosa.clickstream.server_logs.parsing.columns import LineBlock
from lycosa.clickstream.server_logs.parsing.custom_formats import Part
from lycosa.clickstream.server_logs.parsing.whole_fields import CutLines, Slices

_WORD = 8
_QUOTE, _BACKSLASH, _RETURN = 34, 92, 13
_NEEDED = {"time", "status", "address"}
_UNUSUAL = {"path", "query", "bare_query", "forwarded"}
_SEVERAL_WORDS = {"request", "time"}


def can_be_cut(parts: list[Part]) -> bool:
    """Whether fields of a format can be found by the texts between them alone."""
    fields = {part.text for part in parts if part.is_field}
    if not fields >= _NEEDED or fields & _UNUSUAL or any(part.pattern for part in parts):
        return False
    pairs = zip(parts, [*parts[1:], Part("", is_field=False)], strict=True)
    return not any(
        part.is_field and (following.is_field or (part.text in _SEVERAL_WORDS and following.text[:1] == " "))
        for part, following in pairs
    )


class NotationLines:
    """Cuts lines by the parts of a format."""

    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts

    def block(self, data: bytes, starts: Places, ends: Places) -> LineBlock:
        """Those lines that fit, as columns; `starts` and `ends` say where they are."""
        raw, rows = np.frombuffer(data, np.uint8), np.arange(len(starts))
        ends = ends - ((raw.take(np.maximum(ends - 1, 0)) == _RETURN) & (ends > starts))
        fits, fields, place = np.ones(len(rows), bool), dict[str, Slices](), starts
        marks: dict[int, Places] = {}
        for part, following in zip(self._parts, [*self._parts[1:], Part("", is_field=False)], strict=True):
            if not part.is_field:
                fits &= _stands(data, place, part.text.encode())
                place = np.minimum(place + len(part.text.encode()), ends)
                continue
            end = ends
            if following.text:
                byte = following.text.encode()[0]
                if byte not in marks:
                    marks[byte] = np.append(np.flatnonzero(raw[: ends[-1] + 1] == byte), len(data))
                end = marks[byte].take(np.searchsorted(marks[byte], place))
                fits &= end < ends
                end = np.minimum(end, ends)
                if byte == _QUOTE:
                    fits &= raw.take(np.maximum(end - 1, 0)) != _BACKSLASH
            if part.text:
                fields.setdefault(part.text, (place, end))
            place = end
        fits &= (place == ends) & (fields["address"][1] > fields["address"][0])
        return CutLines(data, rows, fields, fits).block()


def _stands(data: bytes, places: Places, text: bytes) -> NDArray[np.bool_]:
    """Where a text stands."""
    found = np.ones(len(places), bool)
    for first in range(0, len(text), _WORD):
        piece = text[first : first + _WORD]
        mask, wanted = np.uint64(number_of(b"\xff" * len(piece))), np.uint64(number_of(piece))
        found &= windows(data, _WORD, np.minimum(places + first, len(data) - _WORD))[:, 0] & mask == wanted
    return found

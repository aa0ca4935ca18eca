"""Requests for the commonest assets, known by a look at the end and the beginning of the request.

They are about half of a log, and nobody needs to read the rest of their lines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import Places, Words, number_of, windows

_SUFFIXES = tuple(
    np.uint32(number_of(name)) for name in (b".png", b".jpg", b".gif", b".css", b".ico", b".svg", b".ttf")
)
_SCRIPT, _ONE = np.uint32(number_of(b".js")), np.uint32(8)
_VERSION, _HTTP = (np.uint64(number_of(text)) for text in (b"\xff" * 6 + b"\xf0\xff", b" HTTP/0."))
_STATUS = np.uint64(number_of(b"\xf0\0" + b"\xff" * 5))
_OK, _NOT_MODIFIED = (np.uint64(number_of(text)) for text in (b"0\0 200 ", b"0\0 304 "))
_WIDTHS = (64, 192)
"""Bytes that are looked at from two before a request on: most requests are short."""
_BRACKET = 29
"""Bytes from the bracket before a time to the request."""
_ASKED = np.uint64(number_of(b'] "GET /'))
_SHORTEST = 19


def are_assets(data: bytes, begin: Places, opened: Places, closed: Places, near: Words) -> NDArray[np.bool_]:
    """Which lines are, without a doubt, answered requests for the commonest assets; the line alone decides.

    `near` are three words around the end of each request; ` HTTP/1.1` begins the second one. Whether the format would
    take such a line is not asked: one with an impossible time or a torn end is left out under this name instead of
    another, and nothing else is taken of it. Nor is a `#` looked for, which no browser sends.
    """
    halves = near.view(np.uint32)
    suffix = np.ascontiguousarray(halves[:, 1])
    found: NDArray[np.bool_] = suffix >> _ONE == _SCRIPT
    for each in _SUFFIXES:
        found |= suffix == each
    status = near[:, 2] & _STATUS
    found &= (status == _OK) | (status == _NOT_MODIFIED)
    found &= near[:, 1] & _VERSION == _HTTP
    length = closed - opened
    found &= (length >= _SHORTEST) & (opened - begin > _BRACKET)
    rest = np.flatnonzero(found)
    for width in _WIDTHS:
        fits = length.take(rest) <= width - 2
        rows, rest = rest.compress(fits), rest.compress(~fits)
        found[rows] = _are_sure(data, width, opened.take(rows), length.take(rows))
    found[rest] = False
    return found


def _are_sure(data: bytes, width: int, opened: Places, length: Places) -> NDArray[np.bool_]:
    """Whether requests begin as most do, after a time, and have no query."""
    words = windows(data, width, opened - 2)
    found: NDArray[np.bool_] = words[:, 0] == _ASKED
    found &= np.frombuffer(data, np.uint8).take(opened - _BRACKET) == ord("[")
    asks = words.view(np.uint8) == ord("?")
    rows = np.flatnonzero(asks.view(np.uint64) != 0) // words.shape[1]
    found[rows] &= asks[rows].argmax(1) > length.take(rows) + 2
    return found

"""One line of a server's log, understood."""

from __future__ import annotations

import re
from typing import NamedTuple

_ESCAPED = re.compile(rb'\\(x[0-9A-Fa-f]{2}|["\\tnrbvf])')
_PLAIN = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"b": b"\b", b"v": b"\v", b"f": b"\f"}


class Entry(NamedTuple):
    """What a line says. `at` is in milliseconds since 1970; what the format does not have is empty."""

    at: int
    status: int
    method: bytes
    target: bytes
    referrer: bytes = b""
    agent: bytes = b""
    address: bytes = b""
    host: bytes = b""
    session: bytes = b""


def request_parts(request: bytes) -> tuple[bytes, bytes]:
    """Method and target of a request line such as `GET /page HTTP/1.1`."""
    method, space, rest = request.partition(b" ")
    if not space:
        return b"", request
    target, space, version = rest.rpartition(b" ")
    return (method, target) if space and version.startswith(b"HTTP/") else (method, rest)


def unescaped(text: bytes) -> bytes:
    """A field as the visitor sent it: servers write quotes and control characters with a backslash."""
    return _ESCAPED.sub(_meant, text) if b"\\" in text else text


def _meant(found: re.Match[bytes]) -> bytes:
    letter = found[1]
    if letter[:1] == b"x":
        return bytes((int(letter[1:], 16),))
    return _PLAIN.get(letter, letter)

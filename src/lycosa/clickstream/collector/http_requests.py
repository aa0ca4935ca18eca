"""HTTP/1.1 as far as the collector needs it, read strictly and within bounds.

It faces the public with four small routes, so whatever two readers could understand
differently is refused: folded headers, two hosts or origins, a body without one plain length.
No sockets here: bytes in, a request or the status of a refusal out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple

LARGEST_HEAD = 8192
MOST_HEADERS = 64
END_OF_HEAD = b"\r\n\r\n"
_START = re.compile(rb"([A-Z]{1,16}) (/[!-~]{0,4096}) HTTP/1\.([01])")
_FIELDS = re.compile(rb"(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}:[\t -~\x80-\xff]*)*")
_FIELD = re.compile(rb"\r\n([^:\r\n]+):[ \t]*([^\r]*)")
_LENGTH = re.compile(rb"[0-9]{1,18}")
_ONLY_ONCE = (b"host", b"content-length", b"origin", b"referer", b"user-agent", b"dnt", b"sec-gpc")
_BODILESS = (204, 304)
_REASONS = {status.value: status.phrase.encode() for status in HTTPStatus}


class Request(NamedTuple):
    """The head of a request; names of headers are in lower case."""

    method: bytes
    path: bytes
    query: bytes
    headers: Mapping[bytes, bytes]
    length: int
    keep: bool

    def header(self, name: bytes) -> str:
        """A header as text, '' where it is not there."""
        return self.headers.get(name, b"").decode("latin-1")


def read_head(head: bytes) -> Request | int:
    """A request from all that comes before the empty line, or the status that refuses it."""
    parts = _START.match(head)
    if parts is None or not _FIELDS.fullmatch(head, parts.end()):
        return 400
    fields = _FIELD.findall(head, parts.end())
    if len(fields) > MOST_HEADERS:
        return 431
    headers: dict[bytes, bytes] = {}
    for written, value in fields:
        name = written.lower()
        if name not in headers:
            headers[name] = value.rstrip()
        elif name in _ONLY_ONCE:
            return 400
        else:
            headers[name] += b", " + value.rstrip()
    return _request(parts, headers)


def _request(parts: re.Match[bytes], headers: dict[bytes, bytes]) -> Request | int:
    method, target, minor = parts.groups()
    if b"transfer-encoding" in headers:
        return 411
    if b"host" not in headers and minor == b"1":
        return 400
    told = headers.get(b"content-length")
    if told is not None and not _LENGTH.fullmatch(told):
        return 400
    if told is None and method == b"POST":
        return 411
    wish = headers.get(b"connection", b"").lower()
    keep = b"close" not in wish if minor == b"1" else b"keep-alive" in wish
    path, _, query = target.partition(b"?")
    return Request(method, path, query, headers, int(told or 0), keep)


class Answer(NamedTuple):
    """What goes back."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=256)
def wire(answer: Answer, keep: bool, with_body: bool = True) -> bytes:
    """An answer as it goes over the wire."""
    lines = [b"HTTP/1.1 %d %s" % (answer.status, _REASONS.get(answer.status, b"Unknown"))]
    lines += [f"{name}: {value}".encode("latin-1") for name, value in answer.headers]
    if answer.status not in _BODILESS:
        lines.append(b"Content-Length: %d" % len(answer.body))
    if not keep:
        lines.append(b"Connection: close")
    return b"\r\n".join([*lines, b"", answer.body if with_body and answer.status not in _BODILESS else b""])

"""What the collector answers: the beacon's script, the pixel, and a status for each refusal.

A browser of another origin may read an answer only where its site is known; the script
and the pixel are meant to be used by all sites.
"""

from __future__ import annotations

import gzip
from base64 import b64decode
from hashlib import sha256
from math import ceil
from typing import TypeAlias

from lycosa.clickstream.collector.events import Refusal
from lycosa.clickstream.collector.http_requests import Answer, Request

Headers: TypeAlias = tuple[tuple[str, str], ...]
SCRIPT_KEPT = 3600
"""Seconds for which browsers may keep the script."""
_STATUS = {
    Refusal.MALFORMED: 400,
    Refusal.BAD_URL: 400,
    Refusal.BAD_TIME: 400,
    Refusal.UNKNOWN_KEY: 403,
    Refusal.FOREIGN_SITE: 403,
    Refusal.WRONG_ORIGIN: 403,
    Refusal.TOO_LARGE: 413,
    Refusal.TOO_MANY: 429,
    Refusal.OVERLOADED: 503,
}
"""All others are no news to the sender: 204."""
_FOR_ALL: Headers = (
    ("Cross-Origin-Resource-Policy", "cross-origin"),
    ("X-Content-Type-Options", "nosniff"),
)
_NOT_KEPT: Headers = (("Cache-Control", "no-store"),)
_TEXT: Headers = (("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff"), *_NOT_KEPT)
_GIF = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
_PIXEL = Answer(200, _GIF, (("Content-Type", "image/gif"), *_FOR_ALL, *_NOT_KEPT))
NOT_FOUND = Answer(404, b"there is nothing here\n", _TEXT)


def readable_by(origin: str) -> Headers:
    """The headers that let an origin read the answer; none for ''."""
    return (("Access-Control-Allow-Origin", origin), ("Vary", "Origin")) if origin else (("Vary", "Origin"),)


def taken(origin: str) -> Answer:
    """Events were counted."""
    return Answer(204, b"", (*_NOT_KEPT, *readable_by(origin)))


def pixel() -> Answer:
    """One transparent point."""
    return _PIXEL


def refusal(reason: Refusal, origin: str = "", wait: float = 0.0) -> Answer:
    """Something was not counted."""
    status = _STATUS.get(reason, 204)
    if status == 204:
        return taken(origin)
    later: Headers = (("Retry-After", str(max(1, ceil(wait)))),) if status in (429, 503) else ()
    return Answer(status, f"{reason}\n".encode(), (*_TEXT, *later, *readable_by(origin)))


def preflight(origin: str) -> Answer:
    """What a browser may send."""
    allowed: Headers = (
        ("Access-Control-Allow-Methods", "POST"),
        ("Access-Control-Allow-Headers", "content-type"),
        ("Access-Control-Max-Age", "86400"),
    )
    return Answer(204, b"", (("Allow", "POST, OPTIONS"), *(allowed if origin else ()), *readable_by(origin)))


def not_allowed(methods: str) -> Answer:
    """The method does not go with the path."""
    return Answer(405, b"method not allowed\n", (("Allow", methods), *_TEXT))


def health(trouble: str) -> Answer:
    """Whether events can be written now; what is wrong is told to the operator, not to the public."""
    return (
        Answer(503, b'{"status":"trouble"}\n', _NOT_KEPT) if trouble else Answer(200, b'{"status":"ok"}\n', _NOT_KEPT)
    )


class Script:
    """The beacon's script as it is sent: plain, packed, or not at all where the browser has it."""

    def __init__(self, script: bytes) -> None:
        self._etag = f'"{sha256(script).hexdigest()[:16]}"'
        common: Headers = (
            ("Cache-Control", f"public, max-age={SCRIPT_KEPT}"),
            ("ETag", self._etag),
            ("Vary", "Accept-Encoding"),
            ("Access-Control-Allow-Origin", "*"),
            *_FOR_ALL,
        )
        kind: Headers = (("Content-Type", "text/javascript; charset=utf-8"),)
        self._plain = Answer(200, script, (*kind, *common))
        packed = gzip.compress(script, 9, mtime=0)
        self._packed = Answer(200, packed, (*kind, ("Content-Encoding", "gzip"), *common))
        self._unchanged = Answer(304, b"", common)

    def answer(self, request: Request) -> Answer:
        """The script for a browser."""
        if self._etag in request.header(b"if-none-match"):
            return self._unchanged
        codings = [coding.partition(";") for coding in request.header(b"accept-encoding").lower().split(",")]
        packed = any(name.strip() == "gzip" and weight.strip() not in ("q=0", "q=0.0") for name, _, weight in codings)
        return self._packed if packed else self._plain

"""What a server's answer means to a crawl: pure judgement, no sockets.

Bodies of answers that are no pages stay as they were transferred, and only
their beginning is read: nobody reads an error page, so no bomb in one is
unpacked.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import lru_cache

from lycosa import urls
from lycosa.configuration.sections import Fetching
from lycosa.fetching.content_coding import BadCoding, TooLarge, codings, decode
from lycosa.fetching.exchange import UNWANTED, Plan, Transferred
from lycosa.records import SITEMAP, Failed, Fetched, Link, Outcome, Redirected, Refused, Response, Unchanged

REDIRECTS = frozenset((301, 302, 303, 307, 308))
PASSING = frozenset((408, 425, 429, *range(500, 600)))
ERROR_BODY = 64 * 1024
LONGEST_RETRY = 86_400.0

_BINARY = bytes((*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))


def page_plan(types: Sequence[str], ceiling: int) -> Plan:
    """Read pages of the wanted types, the beginning of errors, and nothing of anything else."""
    wanted = frozenset(kind.lower() for kind in types)

    def plan(status: int, fields: dict[str, str]) -> int:
        if not 200 <= status < 300:
            return ERROR_BODY
        kind = media_type(fields.get("content-type", ""))
        return ceiling if not kind or kind in wanted else UNWANTED

    return plan


def sitemap_plan(ceiling: int) -> Plan:
    """Read lists of pages whatever their type: sites call them many things."""
    return lambda status, fields: ceiling if 200 <= status < 300 else ERROR_BODY


@lru_cache(maxsize=64)
def media_type(written: str) -> str:
    """The type and subtype that a Content-Type header names, in lower case, or ''."""
    return written.partition(";")[0].strip().lower()


def retry_after(written: str, now: float) -> float | None:
    """Seconds to wait by a Retry-After header, as a number or a date, within a day."""
    try:
        if written.strip().isascii() and written.strip().isdigit():
            seconds = float(written[:20])
        else:
            moment = parsedate_to_datetime(written)
            seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(max(seconds, 0.0), LONGEST_RETRY) if math.isfinite(seconds) else None


class Judge:
    """Turns what was transferred into an outcome."""

    def __init__(self, fetching: Fetching) -> None:
        self._fetching = fetching

    def outcome(self, link: Link, came: Transferred, conditional: bool) -> Outcome:
        """The outcome of a request for a page; `conditional` says whether we offered our validators."""
        if came.fault is not None:
            return self._faulty(link, came)
        if 200 <= came.status < 300:
            return self._page(link, came)
        response = plain_response(link.url, came)
        if came.status == 304 and conditional:
            return Unchanged(link, response)
        if came.status in REDIRECTS:
            return self._redirect(link, response)
        again = came.status in PASSING
        wait = retry_after(came.header("retry-after"), came.began + came.seconds) if again else None
        return Failed(link, f"http-{came.status}", again=again, retry_after=wait, response=response)

    def _faulty(self, link: Link, came: Transferred) -> Outcome:
        assert came.fault is not None
        why, detail = came.fault.why, came.fault.detail
        if why == "unwanted":
            kind = media_type(came.header("content-type"))[:100]
            return Refused(link, "content-type", kind, plain_response(link.url, came))
        if why == "address-refused":
            return Refused(link, why, detail)
        response = plain_response(link.url, came) if came.status else None
        return Failed(link, why, detail, came.fault.again, response=response)

    def _redirect(self, link: Link, response: Response) -> Outcome:
        location = response.header("location")
        target = redirect_target(link.url, location)
        if target == link.url:  # perhaps only with a parameter that we drop
            target = redirect_target(link.url, location, drop_tracking=False)
        if target is None:
            return Failed(link, "bad-redirect", location[:200], response=response)
        if target == link.url:
            return Failed(link, "redirect-loop", "it leads to itself", response=response)
        if link.redirects >= self._fetching.most_redirects:
            return Failed(link, "too-many-redirects", target, response=response)
        return Redirected(link, target, response)

    def _page(self, link: Link, came: Transferred) -> Outcome:
        applied = codings(came.header("content-encoding"))
        kind = media_type(came.header("content-type"))
        a_list = link.rel == SITEMAP
        textual = not kind or kind.startswith("text/") or kind == "application/xhtml+xml" or a_list
        largest = self._fetching.largest_sitemap if a_list else self._fetching.largest_body
        if came.truncated and (applied or not textual):
            detail = f"more than {len(came.raw)} bytes"
            return Failed(link, "too-large", detail, response=plain_response(link.url, came))
        try:
            body, whole = decode(came.raw, applied, largest) if applied else (came.raw, True)
        except BadCoding as error:
            return Failed(link, "bad-encoding", str(error), response=plain_response(link.url, came))
        except TooLarge as error:
            detail = f"{len(came.raw)} bytes unpack to more than {len(error.begin)}"
            return Failed(link, "bomb", detail, response=plain_response(link.url, came))
        if not body:
            return Failed(link, "empty", response=plain_response(link.url, came))
        if not kind and not a_list and not looks_textual(body):
            answer = plain_response(link.url, came)
            return Refused(link, "content-type", "none declared, and the body is binary", answer)
        return Fetched(link, _response(link.url, came, body, came.truncated or not whole))


def looks_textual(body: bytes) -> bool:
    """Whether the beginning of a body could be HTML or text: it has none of the bytes only binary data has."""
    begin = body[:1445]
    return begin.startswith((b"\xff\xfe", b"\xfe\xff")) or len(begin.translate(None, _BINARY)) == len(begin)


def redirect_target(url: str, location: str, *, drop_tracking: bool = True) -> str | None:
    """Where a Location header leads, in normal form; None where that is no http(s) URL."""
    if not location or len(location) > urls.LONGEST:
        return None
    with contextlib.suppress(UnicodeError):
        location = location.encode("latin-1").decode("utf-8")
    return urls.resolve(url, [location], drop_tracking=drop_tracking)[0]


def plain_response(url: str, came: Transferred) -> Response:
    """An answer that is no page; its body is not unpacked."""
    return _response(url, came, b"" if codings(came.header("content-encoding")) else came.raw, came.truncated)


def _response(url: str, came: Transferred, body: bytes, truncated: bool) -> Response:
    return Response(url, came.status, came.headers, body, came.raw, came.began, came.seconds, came.address, truncated)

"""What a URL's record says once its request is over: done, refused, given up, or to be tried again later."""

from __future__ import annotations

import msgspec

from lycosa.queue_records import State, UrlRecord
from lycosa.records import Failed, Fetched, Outcome, Redirected, Refused, Response, Unchanged

REDIRECTED = "redirected to "
"""How the detail of a URL begins that led elsewhere when it was asked for."""

_replace = msgspec.structs.replace


def settled(record: UrlRecord, outcome: Outcome, now: float, retry_at: float | None) -> UrlRecord:
    """The record after an outcome; `retry_at` is when a request that failed is tried again, if it is.

    What is known of a refusal or failure beyond its name is in the row of the visit.
    """
    match outcome:
        case Fetched(response=response) | Unchanged(response=response):
            etag, modified = _validators(response)
            if isinstance(outcome, Unchanged):
                etag, modified = etag or record.etag, modified or record.last_modified
            why = record.let_in_for
            return _replace(record, state=State.DONE, at=now, why=why, detail="", etag=etag, last_modified=modified)
        case Redirected(target=target):
            why, detail = record.let_in_for, f"{REDIRECTED}{target}"
            return _replace(record, state=State.DONE, at=now, why=why, detail=detail)
        case Refused(why=why):
            return _replace(record, state=State.REFUSED, at=now, why=why, detail=record.let_in_for)
        case Failed(why=why, detail=detail):
            if retry_at is not None:
                return _replace(record, state=State.LATER, at=retry_at, detail=f"{why} {detail}".strip())
            return _replace(record, state=State.FAILED, at=now, why=why, detail=record.let_in_for)


def _validators(response: Response) -> tuple[str, str]:
    """What a server wants to be told when it is asked again: ETag and Last-Modified."""
    return response.header("etag")[:200], response.header("last-modified")[:60]

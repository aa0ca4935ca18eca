"""A visit as a row of the catalogue: everything that was found out about it, flat."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.duplicates.canonical_links import Copy, Judged, Named, Verdict
from lycosa.records import SITEMAP, Failed, Fetched, Redirected, Refused, Response, Unchanged, Visit
from lycosa.storage.archive import Place
from lycosa.storage.catalogue import DUPLICATE, VisitRow
from lycosa.storage.link_columns import LinkColumns

NOT_MODIFIED = 304
KEPT = "kept"
"""The outcome of a row that is no visit: a page stays beside the one that it names as canonical."""


def visit_row(
    visit: Visit,
    place: Place | None,
    *,
    agent: int,
    attempts: int,
    duplicate_of: str,
    importance: float | None,
    aside: bool,
    claimed: float | None,
    canonical: Verdict | None = None,
) -> VisitRow:
    """The row of a visit whose response lies at a place of the archive; `canonical` is for one that names another."""
    response, page, outcome = response_of(visit), visit.page, visit.outcome
    why, detail = (outcome.why, outcome.detail) if isinstance(outcome, Refused | Failed) else ("", "")
    if canonical is not None and page is not None:
        why, detail = canonical.value, page.canonical
    return VisitRow(
        url=visit.link.url,
        at=visit.at,
        agent=agent,
        outcome=SITEMAP if page and visit.link.rel == SITEMAP else type(outcome).__name__.lower(),
        why=why,
        detail=detail,
        status=response.status if response else 0,
        mime=response.header("content-type")[:100] if response else "",
        charset=page.charset if page else "",
        language=page.language if page else "",
        title=page.title[:300] if page else "",
        length=len(response.body) if response else 0,
        seconds=response.seconds if response else 0.0,
        address=response.address if response else "",
        digest=page.digest.hex() if page else "",
        duplicate_of=duplicate_of,
        target=outcome.target if isinstance(outcome, Redirected) else "",
        relevance=visit.relevance.value if visit.relevance else None,
        relevance_why=visit.relevance.why if visit.relevance else "",
        importance=importance,
        noindex=page.noindex if page else False,
        depth=visit.link.depth,
        parent=visit.link.parent,
        attempts=attempts,
        file=place.file if place else "",
        offset=place.offset if place else 0,
        size=place.length if place else 0,
        links_dropped=page.links_dropped if page else 0,
        links=LinkColumns() if visit.link.rel == SITEMAP else _columns(visit),
        classes=" ".join(visit.classes),
        aside=aside,
        claimed=claimed,
        placeholder=page.placeholder if page else "",
    )


def judged_row(judged: Judged, at: float, agent: int) -> VisitRow:
    """What was found out later about a page that names another one: a duplicate, or kept beside it."""
    if judged.verdict is Verdict.BELIEVED:
        return VisitRow(judged.url, at, agent, DUPLICATE, judged.verdict, judged.target, duplicate_of=judged.target)
    return VisitRow(judged.url, at, agent, KEPT, judged.verdict, judged.target)


def named_by(visit: Visit, place: Place | None, given_up: bool) -> Named | None:
    """What those hear of a visit who name its URL as canonical; None while there is nothing to be said of it."""
    match visit.outcome:
        case Fetched():
            if visit.page is None or place is None:
                return None
            copy = Copy(visit.page.digest, place.file, place.offset, place.length)
            return Named(copy, visit.page.canonical, noindex=visit.page.noindex)
        case Redirected(target=target):
            return Named(target=target)
        case Unchanged():
            return None
        case Failed(again=True) if not given_up:
            return None
        case Failed() | Refused():
            return Named()


def named_in(rows: Sequence[VisitRow]) -> Named | None:
    """The same by the rows of a page."""
    told = [row for row in rows if row.outcome in ("fetched", "redirected")]
    if not told:
        return None
    last = told[-1]
    if last.outcome == "redirected":
        return Named(target=last.target)
    names = last.detail if last.why in set(Verdict) else ""
    return Named(Copy(bytes.fromhex(last.digest), last.file, last.offset, last.size), names, noindex=last.noindex)


def response_of(visit: Visit) -> Response | None:
    """What the server answered."""
    return visit.outcome.response


def new_response(visit: Visit) -> Response | None:
    """The response to be archived: none where the page came whole and was the one we have."""
    same = isinstance(visit.outcome, Unchanged) and visit.outcome.response.status != NOT_MODIFIED
    return None if same else response_of(visit)


def _columns(visit: Visit) -> LinkColumns:
    links = visit.page.links if visit.page else ()
    return LinkColumns.of(links, [score.value for score in visit.priorities])

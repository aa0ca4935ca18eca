"""The search page: for people as HTML, for programs as JSON in the shape of SearXNG.

Titles, snippets and addresses come from foreign pages: they are shown as text and
nothing else. Of a snippet's markup only the marks around hits survive, and only
http and https addresses become links. What was shown is noted once the page is sent.
"""

from __future__ import annotations

import html
import re
from time import perf_counter
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup, escape
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lycosa.interface import wording
from lycosa.interface.library import Library
from lycosa.interface.rendering import page, rendered
from lycosa.interface.search_clicks import Asker, SearchNotes
from lycosa.search.index import Found, Hit
from lycosa.search.query import LONGEST, Wanted, understand

PER_PAGE = 10
MOST_PAGES = 100
_MARK = re.compile(r"(</?b>)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_WEB = re.compile(r"https?://[^\s\x00-\x1f\x7f]+", re.IGNORECASE)


def search_page(request: Request) -> Response:
    """`/search?crawl=NAME&q=WORDS&page=N[&format=json]`."""
    library: Library = request.app.state.library
    asked = request.query_params
    typed, name = asked.get("q", "")[:LONGEST].strip(), asked.get("crawl", "")
    number = _page_number(asked.get("pageno") or asked.get("page"))
    searchable = library.searchable()
    if not name and len(searchable) == 1:
        name = searchable[0]
    wanted = understand(typed)
    begin = perf_counter()
    found = library.search(library.crawl(name), typed, PER_PAGE, (number - 1) * PER_PAGE) if name else None
    seconds = perf_counter() - begin
    if asked.get("format") == "json":
        return _as_json(typed, found)
    values = {
        "typed": typed,
        "chosen": name,
        "choices": searchable,
        "crawls": library.names(),
        "found": found,
        "results": [_result(hit, name, typed) for hit in found.hits] if found else [],
        "seconds": seconds,
        "advice": _advice(typed, wanted),
        "number": number,
        "first_place": (number - 1) * PER_PAGE + 1,
        **_ways_on(typed, name, number, found),
    }
    answer = page("search.html", **values)
    answer.background = _note(request, name, typed, found, values["first_place"]) if found else None
    return answer


def _note(request: Request, name: str, typed: str, found: Found, first_place: int) -> BackgroundTask:
    """Note what was shown, after it was sent."""
    notes: SearchNotes = request.app.state.notes
    folder, urls = request.app.state.library.crawl(name), [hit.url for hit in found.hits]
    return BackgroundTask(notes.show, folder, Asker.of(request), typed, urls, first_place)


def opensearch(request: Request) -> Response:
    """`/opensearch.xml?crawl=NAME`: lets a browser offer the crawl as a search engine."""
    library: Library = request.app.state.library
    name = library.crawl(request.query_params.get("crawl", "")).name
    base = f"{str(request.base_url).rstrip('/')}/search?{urlencode({'crawl': name})}&q={{searchTerms}}"
    described = rendered("opensearch.xml", name=name, base=base)
    return Response(described, media_type="application/opensearchdescription+xml")


def _page_number(given: str | None) -> int:
    plain = given is not None and given.isascii() and given.isdigit() and len(given) <= 6
    return min(max(int(given), 1), MOST_PAGES) if given is not None and plain else 1


def _ways_on(typed: str, name: str, number: int, found: Found | None) -> dict[str, Any]:
    """The addresses of the pages before and after this one, where there are any."""
    last = min(MOST_PAGES, -(-found.total // PER_PAGE)) if found else 0

    def address(to: int) -> str:
        return "/search?" + urlencode({"crawl": name, "q": typed, "page": to})

    return {
        "last": last,
        "earlier": address(min(number - 1, max(last, 1))) if number > 1 else None,
        "later": address(number + 1) if number < last else None,
    }


def _advice(typed: str, wanted: Wanted) -> str:
    """Why a query can find nothing at all, if it cannot."""
    if typed and wanted.without and not (wanted.words or wanted.phrases or wanted.filters):
        return "A query that only leaves words out finds nothing: add a word to look for."
    if typed and not (wanted.words or wanted.phrases or wanted.filters):
        return "There is no word in this query: letters or digits are needed."
    return ""


def _result(hit: Hit, name: str, typed: str) -> dict[str, Any]:
    narrowed = urlencode({"crawl": name, "q": f"{typed} site:{hit.site}"})
    return {
        "title": tidy(hit.title) or hit.url,
        "href": href(hit.url),
        "address": tidy(hit.url),
        "snippet": marked(hit.snippet),
        "site": tidy(hit.site),
        "within": f"/search?{narrowed}" if "site:" not in typed else None,
        "language": tidy(hit.language),
        "at": hit.at,
        "relevance": hit.relevance,
        "score": hit.score,
        "why": hit.why,
        "similar": hit.similar,
        "alike": "/search?" + urlencode({"crawl": name, "q": f"{typed} like:{hit.group}"}),
    }


def href(url: str) -> str | None:
    """The address to link to, or None where it is none of the web."""
    return url if _WEB.fullmatch(url) else None


def tidy(text: str) -> str:
    """Foreign text on one line, without control characters and orders to change the direction of writing."""
    return " ".join(_CONTROL.sub(" ", text).split())


def marked(snippet: str) -> Markup:
    """A snippet with its hits marked, and nothing else of what may look like markup in it."""
    parts, inside = [], False
    for part in _MARK.split(snippet):
        if part in ("<b>", "</b>"):
            if inside != (part == "<b>"):
                inside = not inside
                parts.append(Markup("<mark>") if inside else Markup("</mark>"))
        else:
            parts.append(escape(_CONTROL.sub(" ", html.unescape(part))))
    return Markup("").join(parts) + (Markup("</mark>") if inside else "")


def _as_json(typed: str, found: Found | None) -> Response:
    results = [
        {
            "url": hit.url,
            "title": tidy(hit.title),
            "content": html.unescape(_MARK.sub("", hit.snippet)),
            "engine": "lycosa",
            "score": hit.score,
            "publishedDate": wording.iso(hit.at),
        }
        for hit in (found.hits if found else ())
    ]
    unanswered: dict[str, list[str]] = {"answers": [], "corrections": [], "infoboxes": [], "suggestions": []}
    answer = {"query": typed, "number_of_results": found.total if found else 0, "results": results}
    return JSONResponse(answer | unanswered | {"unresponsive_engines": [] if found else [["lycosa", "no index"]]})

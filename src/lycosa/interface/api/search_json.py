"""Search for programs and browsers: results in the format of SearXNG, suggestions in that of OpenSearch."""

from __future__ import annotations

import html
import re
import time
from typing import Any
from urllib.parse import urlencode, urlparse

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lycosa.interface.operations.search_feedback import SearchNotes
from lycosa.interface.shared import wording
from lycosa.interface.shared.foreign_text import tidy
from lycosa.interface.shared.rendering import rendered
from lycosa.interface.views.open_crawls import Library
from lycosa.interface.views.search.results import phrases_loosened
from lycosa.search.index import Hit
from lycosa.search.query import LONGEST

ENGINE = "lycosa"
SUGGESTIONS = "application/x-suggestions+json"
_MARK = re.compile(r"</?b>")


def search_json(request: Request) -> Response:
    """`/search?crawl=NAME&q=WORDS&page=N&format=json`, with filters and sort, as SearXNG answers it."""
    library: Library = request.app.state.library
    question, _, answer = library.asked(request.query_params, time.time())
    hits = answer.found.hits if answer.found else ()
    return JSONResponse(
        {
            "query": question.typed,
            "number_of_results": answer.found.total if answer.found else 0,
            "results": [_result(hit, place) for place, hit in enumerate(hits, question.offset + 1)],
            "answers": [phrases_loosened(answer.found)] if answer.found and answer.found.loosened else [],
            "corrections": [answer.correction] if answer.correction else [],
            "infoboxes": [],
            "suggestions": [answer.correction] if answer.correction else [],
            "unresponsive_engines": [[ENGINE, answer.trouble]] if answer.trouble else [],
        },
        answer.status,
    )


def _result(hit: Hit, place: int) -> dict[str, Any]:
    return {
        "url": hit.url,
        "title": " ".join(hit.title.split()),
        "content": html.unescape(_MARK.sub("", hit.snippet)),
        "publishedDate": wording.iso(hit.date),
        "thumbnail": "",
        "img_src": "",
        "priority": "",
        "engine": ENGINE,
        "template": "default.html",
        "parsed_url": _parsed(hit.url),
        "engines": [ENGINE],
        "positions": [place],
        "score": hit.score,
        "category": "general",
    }


def _parsed(url: str) -> list[str]:
    """The six parts of an address; all empty where it has none."""
    try:
        return list(urlparse(url))
    except ValueError:
        return ["", "", url, "", "", ""]


def suggest(request: Request) -> Response:
    """`/suggest?crawl=NAME&q=BEGINNING`: how it may go on."""
    library: Library = request.app.state.library
    typed = request.query_params.get("q", "")[:LONGEST]
    folder = library.crawl(request.query_params.get("crawl", ""))
    notes: SearchNotes = request.app.state.notes
    found = library.suggest(folder, typed, notes.queries(folder))
    return JSONResponse([typed, [each for each in map(tidy, found) if each]], media_type=SUGGESTIONS)


def opensearch(request: Request) -> Response:
    """`/opensearch.xml?crawl=NAME`: lets a browser offer the crawl as a search engine."""
    library: Library = request.app.state.library
    name = library.crawl(request.query_params.get("crawl", "")).name
    base, asked = str(request.base_url).rstrip("/"), f"?{urlencode({'crawl': name})}&q={{searchTerms}}"
    described = rendered(
        "opensearch.xml", name=name, base=base, search=base + "/search" + asked, suggest=base + "/suggest" + asked
    )
    return Response(described, media_type="application/opensearchdescription+xml")

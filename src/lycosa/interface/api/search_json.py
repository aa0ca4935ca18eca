"""Search for programs: results in the format of SearXNG, and suggestions in that of OpenSearch."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import urlparse

from starlette.responses import JSONResponse, Response

from lycosa.interface.shared import wording
from lycosa.interface.views.search.request import Question
from lycosa.interface.views.search.results import Answer
from lycosa.search.index import Hit

ENGINE = "lycosa"
SUGGESTIONS = "application/x-suggestions+json"
_MARK = re.compile(r"</?b>")


def as_searxng(question: Question, answer: Answer, status: int) -> Response:
    """An answer in the format of SearXNG."""
    hits = answer.found.hits if answer.found else ()
    return JSONResponse(
        {
            "query": question.typed,
            "number_of_results": answer.found.total if answer.found else 0,
            "results": [_result(hit, place) for place, hit in enumerate(hits, question.offset + 1)],
            "answers": [],
            "corrections": [answer.correction] if answer.correction else [],
            "infoboxes": [],
            "suggestions": [answer.correction] if answer.correction else [],
            "unresponsive_engines": [[ENGINE, answer.trouble]] if answer.trouble else [],
        },
        status,
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


def as_suggestions(typed: str, found: list[str]) -> Response:
    """Suggestions as browsers ask for them."""
    return JSONResponse([typed, found], media_type=SUGGESTIONS)

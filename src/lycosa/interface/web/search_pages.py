"""The search page: what is shown of a question and its answer, as HTML.

Titles, snippets and addresses come from foreign pages: they are shown as text and
nothing else. Of a snippet's markup only the marks around hits survive, and only
http and https addresses become links. What was shown is noted once the page is sent.
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlencode

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from lycosa.interface.operations.search_feedback import Asker, SearchNotes
from lycosa.interface.shared.foreign_text import href, marked, tidy
from lycosa.interface.shared.rendering import page
from lycosa.interface.views.open_crawls import Library
from lycosa.interface.views.search.class_names import TopicNames
from lycosa.interface.views.search.request import MOST_PAGES, PER_PAGE, Question
from lycosa.interface.views.search.results import Answer, phrases_loosened
from lycosa.interface.web.search_filters import PERIODS_TOLD, SORTS_TOLD, chips_told, filters_of
from lycosa.search.index import Found, Hit
from lycosa.search.query import Wanted

_NOBODY = TopicNames(())


def search_page(request: Request) -> Response:
    """`/search?crawl=NAME&q=WORDS&page=N`, with filters and sort."""
    library: Library = request.app.state.library
    began, now = time.perf_counter(), time.time()
    question, folder, answer = library.asked(request.query_params, now)
    seconds = time.perf_counter() - began
    topics = library.topics(folder) if folder and answer.found else _NOBODY
    values = {
        "choices": library.searchable(),
        "crawls": library.names(),
        "seconds": seconds,
        **_values(question, answer, topics, now),
    }
    shown = page(request, "search.html", answer.status, **values)
    if (
        answer.found
        and question.address() == Question(question.crawl, question.typed, number=question.number).address()
    ):
        shown.background = _note(request, question, answer.found)
    return shown


def _values(question: Question, answer: Answer, topics: TopicNames, now: float) -> dict[str, Any]:
    found = answer.found
    return {
        "typed": question.typed,
        "chosen": question.crawl,
        "kept": question.fields(),
        "found": found,
        "answer": answer,
        "results": [_result(hit, question, topics) for hit in found.hits] if found else [],
        "advice": _advice(question, question.wanted(now)),
        "correction": _correction(question, answer),
        "loosened": phrases_loosened(found) if found else "",
        "chips": chips_told(question, topics),
        "bare": question.address(**_WITHOUT_FILTERS, typed=question.plain().typed),
        "filters": filters_of(question, answer.facets, topics) if found else None,
        "sort": question.sort,
        "sorts": SORTS_TOLD,
        "periods": PERIODS_TOLD,
        "number": question.number,
        "first_place": question.offset + 1,
        **_ways_on(question, found),
    }


_WITHOUT_FILTERS: dict[str, Any] = {
    "sites": (), "topics": (), "languages": (), "period": "", "after": "", "before": "",
}  # fmt: skip


def _note(request: Request, question: Question, found: Found) -> BackgroundTask:
    """Note what was shown, after it was sent; only of plain queries, as filters and sort change what stands where."""
    notes: SearchNotes = request.app.state.notes
    folder, urls = request.app.state.library.crawl(question.crawl), [hit.url for hit in found.hits]
    return BackgroundTask(notes.show, folder, Asker.of(request), question.typed, urls, question.offset + 1)


def _ways_on(question: Question, found: Found | None) -> dict[str, Any]:
    """The addresses of the pages before and after this one, where there are any."""
    last, number = min(MOST_PAGES, -(-found.total // PER_PAGE)) if found else 0, question.number
    return {
        "last": last,
        "earlier": question.address(number=min(number - 1, max(last, 1))) if number > 1 else None,
        "later": question.address(number=number + 1) if number < last else None,
    }


def _advice(question: Question, wanted: Wanted) -> str:
    """Why a query can find nothing at all, if it cannot."""
    asked = wanted.words or wanted.phrases or wanted.filters or wanted.after is not None or wanted.before is not None
    if not question.typed or asked:
        return ""
    if wanted.without:
        return "A query that only leaves words out finds nothing: add a word to look for."
    return "There is no word in this query: letters or digits are needed."


def _correction(question: Question, answer: Answer) -> dict[str, str] | None:
    if not answer.correction:
        return None
    return {"query": answer.correction, "address": question.address(typed=answer.correction)}


def _result(hit: Hit, question: Question, topics: TopicNames) -> dict[str, Any]:
    narrowed = bool(hit.site) and not question.sites and "site:" not in question.typed.lower()
    return {
        "title": tidy(hit.title) or hit.url,
        "href": href(hit.url),
        "address": tidy(hit.url),
        "snippet": marked(hit.snippet),
        "site": tidy(hit.site),
        "within": question.address(typed=f"{question.typed} site:{hit.site}".strip()) if narrowed else None,
        "language": tidy(hit.language),
        "topics": [(tidy(topics.caption(each)) or each, question.address(topics=(each,))) for each in hit.classes[:2]],
        "topic": tidy(hit.topic) if not hit.classes else "",
        "at": hit.at,
        "date": hit.date,
        "relevance": hit.relevance,
        "score": hit.score,
        "why": hit.why,
        "similar": hit.similar,
        "alike": question.address(typed=f"{question.typed} like:{hit.group}".strip()),
        "stored": "/read?" + urlencode({"crawl": question.crawl, "url": hit.url, "q": question.typed}),
    }

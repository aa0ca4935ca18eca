"""What the matches of a query have in common: their most frequent sites, topics and languages.

A filter does not hide its own alternatives: sites are counted as if no site had been
chosen, unless the query is a phrase of words that are everywhere, which takes long to look
for. Where there are very many matches, a sample of the pages is counted, so that the time
has a bound; the counts are then estimates and say so.
"""

from __future__ import annotations

from typing import Any

import tantivy

from lycosa.records import Record
from lycosa.search.query import Wanted
from lycosa.search.query_compiler import MUST, Matching
from lycosa.search.schema import SAMPLES

MOST_SHOWN = 8
MOST_COUNTED = 500_000
"""Of more matches than these only a sample is counted."""
_COLUMNS = {"site": "host", "topic": "classes", "language": "language"}


class Facets(Record, frozen=True):
    """The most frequent values of each filter among the matches, with how many pages have them."""

    sites: tuple[tuple[str, int], ...] = ()
    topics: tuple[tuple[str, int], ...] = ()
    languages: tuple[tuple[str, int], ...] = ()
    estimated: bool = False


def count_facets(searcher: Any, matching: Matching, wanted: Wanted, total: int) -> Facets:
    """The facets of a query that has so many matches."""
    slices = SAMPLES if total <= MOST_COUNTED else max(1, SAMPLES * MOST_COUNTED // total)
    chosen = {field for field, _ in wanted.filters} if matching.is_cheap(searcher, wanted) else set()
    turns = [("", [field for field in _COLUMNS if field not in chosen])]
    turns += [(field, [field]) for field in _COLUMNS if field in chosen]
    counted: dict[str, tuple[tuple[str, int], ...]] = {}
    for but_for, fields in turns:
        query = matching.query(wanted, but_for)
        if query is not None and fields:
            counted |= _counted(searcher, _sampled(matching, query, slices), fields, SAMPLES / slices)
    none: tuple[tuple[str, int], ...] = ()
    sites, topics, languages = (counted.get(field, none) for field in _COLUMNS)
    return Facets(sites, topics, languages, slices < SAMPLES)


def _sampled(matching: Matching, query: Any, slices: int) -> Any:
    return query if slices == SAMPLES else tantivy.Query.boolean_query([(MUST, query), (MUST, matching.sample(slices))])


def _counted(searcher: Any, query: Any, fields: list[str], times: float) -> dict[str, tuple[tuple[str, int], ...]]:
    wanted = {field: {"terms": {"field": _COLUMNS[field], "size": MOST_SHOWN + 1}} for field in fields}
    try:
        answer = searcher.aggregate(query, wanted)
    except ValueError:  # an index of an older layout, which the crawl will build anew
        return {}
    return {
        field: tuple(
            (each["key"], round(times * each["doc_count"])) for each in answer[field]["buckets"] if each["key"]
        )
        for field in fields
    }

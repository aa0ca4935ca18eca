"""From a query that was understood to one that the index answers.

The score is plain BM25 over all that a page says and is called, in one field. Neighbours in
the query that are neighbours on a page add a share of their rarity. A title counts as words of
the page and no more: titles are good on one site, and on another empty, all the same or stuffed
with words, and a weight that suits one kind of title ruins the order where they are of another.

Values of the same filter are alternatives, different filters add up. Filters choose
pages and never change their scores.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import tantivy

from lycosa.search.query import Wanted
from lycosa.search.schema import OLDER_TEXTS, TEXT, index_terms

MUST, SHOULD, MUST_NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
CHEAP_PHRASE = 20_000
SIDE_BY_SIDE = 0.1
"""Of the mean rarity of two neighbours a page gains so much that has them side by side; more of it costs more on
collections where words come in any order than it brings on others."""
FEW_PAGES, COMMON = 1_000, 0.1
"""Two words that are each on more pages, and on a larger share of all, gain little side by side and take long."""
_GROUP = re.compile(r"[0-9]{1,19}")
_FIELDS = {"site": ("host", "domain"), "topic": ("topic", "within"), "language": ("language",), "group": ("group",)}


class Matching:
    """Queries for one index."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self._fields = OLDER_TEXTS if _has_field(index, OLDER_TEXTS[-1]) else (TEXT,)

    def query(self, wanted: Wanted, but_for: str = "") -> Any | None:
        """The query, without the filter `but_for`; None where nothing is asked for."""
        texts = [self.text(wanted.words, wanted.phrases)] if wanted.words or wanted.phrases else []
        worth = 0.0 if texts else 1.0
        chosen = [tantivy.Query.const_score_query(each, worth) for each in self._filters(wanted, but_for)]
        if not texts and not chosen:
            if not wanted.filters and wanted.after is None and wanted.before is None:
                return None
            chosen.append(tantivy.Query.all_query())
        clauses = [(MUST, each) for each in (*texts, *chosen)]
        clauses += [(MUST_NOT, self.any_of([word])) for word in wanted.without]
        return tantivy.Query.boolean_query(clauses)

    def text(self, words: Sequence[str], phrases: Sequence[str]) -> Any:
        """Pages that have one of the words, and all phrases; a word that is asked for twice counts twice."""
        terms = Counter(index_terms(" ".join(words)))
        clauses = [(SHOULD, self._times(term, number)) for term, number in terms.items()]
        clauses += [(SHOULD, query) for query in self._side_by_side(terms)]
        clauses += [(MUST, self._phrase(index_terms(phrase))) for phrase in phrases]
        return tantivy.Query.boolean_query(clauses)

    def _times(self, term: str, number: int) -> Any:
        query = self._has(term)
        return query if number == 1 else tantivy.Query.boost_query(query, float(number))

    def _has(self, term: str) -> Any:
        """Pages that have a term."""
        found = [tantivy.Query.term_query(self._index.schema, field, term, "freq") for field in self._fields]
        return found[0] if len(found) == 1 else tantivy.Query.boolean_query([(SHOULD, each) for each in found])

    def _side_by_side(self, terms: Iterable[str]) -> Iterator[Any]:
        """What a page gains that has neighbours of the query side by side, where that does not take long to see."""
        searcher = self._index.searcher()
        whole = searcher.num_docs
        cheap = min(CHEAP_PHRASE, max(FEW_PAGES, int(whole * COMMON)))
        having = {term: searcher.doc_freq(TEXT, term) for term in terms}
        for pair in pairwise(having):
            pages = [having[term] for term in pair]
            if 0 < min(pages) <= cheap:
                gain = SIDE_BY_SIDE * sum(_rarity(whole, each) for each in pages) / 2
                yield tantivy.Query.const_score_query(self._phrase(pair), gain)

    def _phrase(self, terms: Sequence[str]) -> Any:
        """Pages that have these terms in a row."""
        if len(terms) > 1:
            return tantivy.Query.phrase_query(self._index.schema, TEXT, list(terms))
        return self._has(terms[0]) if terms else tantivy.Query.empty_query()

    def any_of(self, words: Sequence[str]) -> Any:
        """Pages that have one of the words."""
        return tantivy.Query.boolean_query([(SHOULD, self._has(term)) for term in index_terms(" ".join(words))])

    def nowhere(self, searcher: Any, phrases: Sequence[str]) -> tuple[str, ...]:
        """Those of the phrases that no page has."""
        wanted = ((phrase, self._phrase(index_terms(phrase))) for phrase in phrases)
        return tuple(phrase for phrase, query in wanted if not searcher.search(query, 1, count=False).hits)

    def sample(self, slices: int) -> Any:
        """The pages of so many samples."""
        return tantivy.Query.term_set_query(self._index.schema, "sample", list(range(slices)))

    def pages_with(self, searcher: Any, word: str) -> int:
        """How many pages have a word in some form."""
        terms = index_terms(word)
        return max((int(searcher.doc_freq(field, term)) for term in terms for field in self._fields), default=0)

    def is_cheap(self, searcher: Any, wanted: Wanted) -> bool:
        """Whether a query can be asked once more: each phrase has a word that is not on a great many pages."""
        rarest = (min(self.pages_with(searcher, word) for word in phrase.split()) for phrase in wanted.phrases)
        return sum(rarest) <= CHEAP_PHRASE

    def _filters(self, wanted: Wanted, but_for: str) -> list[Any]:
        values: dict[str, list[str]] = {}
        for field, value in wanted.filters:
            values.setdefault(field, []).append(value)
        values.pop(but_for, None)
        found = [self._one_of(field, each) for field, each in values.items()]
        if wanted.after is not None or wanted.before is not None:
            found.append(
                tantivy.Query.range_query(
                    self._index.schema,
                    "date",
                    tantivy.FieldType.Float,
                    wanted.after,
                    wanted.before,
                    include_upper=wanted.before is None,
                )
            )
        return found

    def _one_of(self, field: str, values: Sequence[str]) -> Any:
        terms = [(SHOULD, term) for value in values for term in self._terms(field, value)]
        return tantivy.Query.boolean_query(terms) if terms else tantivy.Query.empty_query()

    def _terms(self, field: str, value: str) -> list[Any]:
        told: str | int = value.replace(".", "") if field == "topic" and value[:1].isdigit() else value
        if field == "group":
            told = int(value) if _GROUP.fullmatch(value) and int(value) < 1 << 63 else -1
        found = []
        for name in _FIELDS[field]:
            try:
                found.append(tantivy.Query.term_query(self._index.schema, name, told))
            except ValueError:  # an index of an older layout, which the crawl will build anew
                continue
        return found


def _rarity(pages: int, having: int) -> float:
    """The weight that BM25 gives to a term that so many of the pages have."""
    return math.log(1 + max(0.0, pages - having + 0.5) / (having + 0.5))


def _has_field(index: Any, name: str) -> bool:
    try:
        index.searcher().doc_freq(name, "")
    except ValueError:
        return False
    return True

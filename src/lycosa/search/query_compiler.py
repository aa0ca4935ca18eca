"""From a query that was understood to one that the index answers.

Values of the same filter are alternatives, different filters add up. Filters choose
pages and never change their scores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import tantivy

from lycosa.search.query import Wanted
from lycosa.search.schema import WEIGHTS, index_terms

MUST, SHOULD, MUST_NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
CHEAP_PHRASE = 20_000
_GROUP = re.compile(r"[0-9]{1,19}")
_FIELDS = {"site": ("host", "domain"), "topic": ("topic", "within"), "language": ("language",), "group": ("group",)}


class Matching:
    """Queries for one index."""

    def __init__(self, index: Any) -> None:
        self._index = index

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
        clauses += [(MUST_NOT, self.text([word], [])) for word in wanted.without]
        return tantivy.Query.boolean_query(clauses)

    def text(self, words: Sequence[str], phrases: Sequence[str]) -> Any:
        """Pages that have one of the words, and all phrases."""
        parts = [*words, *(f'+"{phrase}"' for phrase in phrases)]
        return self._index.parse_query(" ".join(parts), list(WEIGHTS), field_boosts=WEIGHTS)

    def sample(self, slices: int) -> Any:
        """The pages of so many samples."""
        return tantivy.Query.term_set_query(self._index.schema, "sample", list(range(slices)))

    def pages_with(self, searcher: Any, word: str) -> int:
        """How many pages have a word in some form."""
        terms = index_terms(word)
        return max((int(searcher.doc_freq(field, term)) for term in terms for field in WEIGHTS), default=0)

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

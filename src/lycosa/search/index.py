"""The full-text index: an embedded tantivy index, one document a page.

Adding a page that is there already replaces it, so the index can be fed again
from any earlier mark without harm. Body, title, headings and the anchors of
incoming links are separate fields with weights of their own. What a ranking needs of
every match, a page's key and date, lies in columns that are read without the pages.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import tantivy

from lycosa.records import Page, Record, Score
from lycosa.search.query import Wanted
from lycosa.search.ranking import Candidate, Order, page_key
from lycosa.urls import domain_of, host_of, site_of

WEIGHTS = {"title": 0.4, "headings": 0.3, "anchors": 0.4, "body": 1.0}
"""A word is rarer in a title than in bodies, and titles are short, so BM25 itself gives much for it there already."""
LONGEST_SNIPPET = 240
LONGEST_BODY = 200_000
_ANALYSER = "lycosa"


class IndexDamaged(Exception):
    """The index cannot be opened; it can be built again from the archive."""


class Document(Record, frozen=True):
    """A page as the index takes it; `group` is that of pages with nearly the same text, by default its own."""

    page: Page
    anchors: tuple[str, ...] = ()
    topic: str = ""
    at: float = 0.0
    relevance: float = 0.0
    group: int | None = None


class Hit(Record, frozen=True):
    """A search result; `why` is how its score came about, where somebody put results in order.

    `similar` pages of its group, which have nearly the same text, were found too and are not shown.
    """

    url: str
    title: str
    snippet: str
    site: str
    language: str
    at: float
    relevance: float
    score: float
    why: Score | None = None
    similar: int = 0
    group: int = 0


class Found(Record, frozen=True):
    """The answer to a query."""

    total: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    """A page that matches, before it is read; with who put it in order, if anybody did."""

    address: Any
    score: float
    order: Order | None = None
    candidate: Candidate | None = None
    similar: int = 0
    group: int = 0


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("url", stored=True, tokenizer_name="raw")
    for name in ("title", "body"):
        builder.add_text_field(name, stored=True, tokenizer_name=_ANALYSER)
    for name in ("headings", "anchors"):
        builder.add_text_field(name, stored=False, tokenizer_name=_ANALYSER)
    for name in ("host", "domain", "language", "topic"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw")
    builder.add_date_field("at", stored=True, indexed=True, fast=True)
    builder.add_float_field("relevance", stored=True, indexed=True, fast=True)
    builder.add_integer_field("key", stored=False, indexed=False, fast=True)
    builder.add_float_field("date", stored=False, indexed=False, fast=True)
    builder.add_integer_field("group", stored=False, indexed=True, fast=True)
    return builder.build()


def _open(folder: Path, *, new: bool) -> Any:
    """The index in a folder: `new` makes it where there is none, and refuses one of an older layout."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        index = tantivy.Index(_schema(), path=str(folder)) if new else tantivy.Index.open(str(folder))
    except ValueError as error:
        raise IndexDamaged(f"{folder}: {error}") from error
    index.register_tokenizer(_ANALYSER, _analyser())
    return index


@lru_cache(maxsize=1)
def _analyser() -> Any:
    analyser = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(60),
        tantivy.Filter.lowercase(),
        tantivy.Filter.stemmer("english"),
    ):
        analyser = analyser.filter(step)
    return analyser.build()


def index_terms(text: str) -> list[str]:
    """The terms of a text as the index has them."""
    return list(_analyser().analyze(text))


class IndexWriter:
    """Feeds the index. `marks` says how far each agent's journal is in it."""

    def __init__(self, folder: Path, memory: int) -> None:
        self._folder = folder
        self._index = _open(folder, new=True)
        self._writer = self._index.writer(memory, 1)
        self.marks = read_marks(folder)

    def add(self, document: Document) -> None:
        """Add a page, replacing an earlier copy of it."""
        page, site = document.page, site_of(document.page.url)
        self._writer.delete_documents_by_term("url", page.url)
        self._writer.add_document(
            tantivy.Document(
                url=page.url,
                title=page.title,
                body=page.text[:LONGEST_BODY],
                headings=" \n".join(page.headings),
                anchors=" \n".join(document.anchors),
                host=host_of(site),
                domain=domain_of(site),
                language=page.language,
                topic=document.topic,
                at=datetime.fromtimestamp(document.at, UTC),
                relevance=document.relevance,
                key=page_key(page.url),
                date=_date(document),
                group=page_key(page.url) if document.group is None else document.group,
            )
        )

    def drop(self, url: str) -> None:
        """Take a page out."""
        self._writer.delete_documents_by_term("url", url)

    def commit(self, marks: dict[int, int]) -> None:
        """Make what was added searchable and durable, then note how far that is."""
        self._writer.commit()
        partial = self._folder / "marks.partial"
        partial.write_text(json.dumps(marks), "utf-8")
        partial.replace(self._folder / "marks.json")
        self.marks = dict(marks)

    def close(self) -> None:
        """Wait for merges; what was not committed is forgotten."""
        self._writer.rollback()
        self._writer.wait_merging_threads()


def _date(document: Document) -> float:
    """When a page was written, as far as it says so and can be believed; else when it was fetched."""
    published = document.page.published
    return float(document.at if published is None else min(published, document.at))


def read_marks(folder: Path) -> dict[int, int]:
    """How far the index is; an empty index has no marks, whatever the file says."""
    try:
        return {int(agent): int(row) for agent, row in json.loads((folder / "marks.json").read_text("utf-8")).items()}
    except (FileNotFoundError, ValueError):
        return {}


class IndexReader:
    """Answers queries; sees new pages after `refresh`."""

    def __init__(self, folder: Path) -> None:
        if not (folder / "meta.json").exists():
            raise IndexDamaged(f"{folder}: there is no index yet; it appears soon after the crawl's first pages")
        self._index = _open(folder, new=False)

    def refresh(self) -> None:
        """See what was committed by now."""
        self._index.reload()

    def __len__(self) -> int:
        return int(self._index.searcher().num_docs)

    def search(self, wanted: Wanted, limit: int = 10, offset: int = 0, order: Order | None = None) -> Found:
        """The best pages for a query, by the words alone or in the order of a ranking."""
        query = self._query(wanted)
        if query is None:
            return Found(0, ())
        searcher = self._index.searcher()
        total, matches = self._matches(searcher, query, offset + limit, order, wanted)
        snippets = tantivy.SnippetGenerator.create(searcher, query, self._index.schema, "body")
        snippets.set_max_num_chars(LONGEST_SNIPPET)
        return Found(total, tuple(_hit(searcher.doc(each.address), each, snippets) for each in matches[offset:]))

    def ranking(self, wanted: Wanted, limit: int, order: Order | None = None) -> list[str]:
        """The URLs of the best pages and nothing else, for those who want many."""
        query = self._query(wanted)
        if query is None:
            return []
        searcher = self._index.searcher()
        _, matches = self._matches(searcher, query, limit, order, wanted)
        return [searcher.doc(each.address).get_first("url") for each in matches]

    def _matches(
        self, searcher: Any, query: Any, number: int, order: Order | None, wanted: Wanted
    ) -> tuple[int, list[_Match]]:
        """How many pages match, and the best of them; a ranking puts only the first `depth` in order.

        Of these, one page stands for all of its group, unless somebody asks for a group.
        """
        depth = order.depth if order else 0
        result = searcher.search(query, limit=number + depth, count=True)
        total, found = int(result.count or 0), result.hits
        arranged = self._arranged(searcher, found[:depth], order) if order and found else []
        if not any(field == "group" for field, _ in wanted.filters):
            arranged = self._one_of_each_group(searcher, arranged)
        return total, [*arranged, *(_Match(address, score) for score, address in found[depth:])][:number]

    def _one_of_each_group(self, searcher: Any, arranged: list[_Match]) -> list[_Match]:
        try:
            groups = searcher.fast_field_values("group", [each.address for each in arranged])
        except ValueError:  # an index of an older layout, which the crawl will build anew
            return arranged
        first: dict[int, int] = {}
        kept: list[_Match] = []
        for each, group in zip(arranged, groups, strict=True):
            if group in first:
                best = kept[first[group]]
                kept[first[group]] = replace(best, similar=best.similar + 1)
            else:
                first[group] = len(kept)
                kept.append(replace(each, group=group or 0))
        return kept

    def _arranged(self, searcher: Any, found: Sequence[tuple[float, Any]], order: Order) -> list[_Match]:
        addresses = [address for _, address in found]
        try:
            keys = searcher.fast_field_values("key", addresses)
            dates = searcher.fast_field_values("date", addresses)
        except ValueError:  # an index of an older layout, which the crawl will build anew
            keys, dates = [page_key(searcher.doc(each).get_first("url")) for each in addresses], [None] * len(found)
        arranged = order.arranged([score for score, _ in found], keys, dates)
        return [_Match(addresses[place], score, order, candidate) for place, score, candidate in arranged]

    def urls(self) -> set[str]:
        """All pages in the index, for audits."""
        searcher = self._index.searcher()
        result = searcher.search(tantivy.Query.all_query(), limit=max(1, searcher.num_docs))
        return {searcher.doc(address).get_first("url") for _, address in result.hits}

    def _query(self, wanted: Wanted) -> Any | None:
        must, must_not = tantivy.Occur.Must, tantivy.Occur.MustNot
        clauses = []
        if wanted.words or wanted.phrases:
            clauses.append((must, self._text(wanted.words, wanted.phrases)))
        for word in wanted.without:
            clauses.append((must_not, self._text([word], [])))
        for field, value in wanted.filters:
            clauses.append((must, self._filter(field, value)))
        if not any(occur == must for occur, _ in clauses):
            return None
        return tantivy.Query.boolean_query(clauses)

    def _text(self, words: Sequence[str], phrases: Sequence[str]) -> Any:
        parts = [*words, *(f'+"{phrase}"' for phrase in phrases)]
        return self._index.parse_query(" ".join(parts), list(WEIGHTS), field_boosts=WEIGHTS)

    def _filter(self, field: str, value: str) -> Any:
        term = tantivy.Query.term_query
        if field == "group":
            return term(self._index.schema, field, int(value) if value.isdigit() and len(value) < 20 else -1)
        if field != "site":
            return term(self._index.schema, field, value)
        should = tantivy.Occur.Should
        names = [(should, term(self._index.schema, name, value)) for name in ("host", "domain")]
        return tantivy.Query.boolean_query(names)


def _hit(stored: Any, match: _Match, snippets: Any) -> Hit:
    snippet = snippets.snippet_from_doc(stored).to_html() or _beginning(stored.get_first("body") or "")
    at = stored.get_first("at")
    return Hit(
        stored.get_first("url"),
        stored.get_first("title") or stored.get_first("url"),
        snippet,
        stored.get_first("host"),
        stored.get_first("language") or "",
        at.replace(tzinfo=UTC).timestamp() if at else 0.0,
        stored.get_first("relevance") or 0.0,
        match.score,
        match.order.ranking.explained(match.candidate) if match.order and match.candidate else None,
        match.similar,
        match.group,
    )


def _beginning(body: str) -> str:
    text = body[:LONGEST_SNIPPET]
    for raw, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(raw, safe)
    return text


def remove(folder: Path) -> None:
    """Remove a damaged index, so that it is built again."""
    for path in folder.glob("*"):
        with contextlib.suppress(IsADirectoryError):
            path.unlink()
